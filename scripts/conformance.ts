import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRequirementIds } from './conformance/ids.ts';
import { renderConformancePage, type RequirementProof } from './conformance/page.ts';
import { readRequirements, originSystems } from './conformance/requirements.ts';
import { listTestTitles } from './conformance/titles.ts';
import type { GeneratedPage } from './pages.ts';
import { listProjectFiles, repositoryRoot } from './source-files.ts';

/** docs/conformance.md: lists the tests that demonstrate each requirement. */
export function buildConformancePages(): readonly GeneratedPage[] {
  const requirements = readRequirements();
  const proofs = listTestFiles().flatMap((file) =>
    listProofs(file, readFileSync(join(repositoryRoot, file), 'utf8')),
  );
  checkRequirementIds(new Set(requirements.map(({ id }) => id)), proofs);
  return [
    {
      path: 'docs/conformance.md',
      text: renderConformancePage({ systems: originSystems, requirements, proofs }),
    },
  ];
}

function listTestFiles(): readonly string[] {
  return listProjectFiles('').filter((path) =>
    /^(?:packages\/[^/]+|scripts|bench)\/test\/.*\.test\.ts$/.test(path),
  );
}

export function listProofs(file: string, source: string): readonly RequirementProof[] {
  return listTestTitles(source).flatMap((title) => {
    try {
      return [...new Set(parseRequirementIds(title))].map((id) => ({ id, file, title }));
    } catch (error) {
      throw new Error(`${file}: "${title}": ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

export function checkRequirementIds(known: ReadonlySet<string>, proofs: readonly RequirementProof[]): void {
  const wrong = proofs.filter(({ id }) => !known.has(id));
  if (wrong.length === 0) return;
  const lines = wrong.map(({ id, file, title }) => `${file}: "${title}": no requirement has the id ${id}`);
  throw new Error(lines.join('\n'));
}
