import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idsIn } from './conformance/ids.ts';
import { conformancePage, type Showing } from './conformance/page.ts';
import { readRequirements, systems } from './conformance/requirements.ts';
import { titlesIn } from './conformance/titles.ts';
import type { Page } from './pages.ts';
import { filesUnder, root } from './source-files.ts';

/** docs/conformance.md: which requirement is shown by which test. */
export function conformancePages(): readonly Page[] {
  const requirements = readRequirements();
  const showings = testFiles().flatMap((file) => showingsIn(file, readFileSync(join(root, file), 'utf8')));
  checkIds(new Set(requirements.map(({ id }) => id)), showings);
  return [{ path: 'docs/conformance.md', text: conformancePage({ systems, requirements, showings }) }];
}

function testFiles(): readonly string[] {
  return filesUnder('').filter((path) =>
    /^(?:packages\/[^/]+|scripts|bench)\/test\/.*\.test\.ts$/.test(path),
  );
}

export function showingsIn(file: string, source: string): readonly Showing[] {
  return titlesIn(source).flatMap((title) => {
    try {
      return [...new Set(idsIn(title))].map((id) => ({ id, file, title }));
    } catch (error) {
      throw new Error(`${file}: "${title}": ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  });
}

export function checkIds(known: ReadonlySet<string>, showings: readonly Showing[]): void {
  const wrong = showings.filter(({ id }) => !known.has(id));
  if (wrong.length === 0) return;
  const lines = wrong.map(({ id, file, title }) => `${file}: "${title}": no requirement has the id ${id}`);
  throw new Error(lines.join('\n'));
}
