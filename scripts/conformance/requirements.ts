import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../source-files.ts';

export type SystemRequirement = { readonly id: string; readonly kind: string; readonly text: string };

export type OriginSystem = { readonly prefix: string; readonly name: string };

/** The systems that Pawl unites, then the open questions of those systems that Pawl resolves, in page order. */
export const originSystems: readonly OriginSystem[] = [
  { prefix: 'LOOM', name: 'Loom' },
  { prefix: 'NEX', name: 'Nexora' },
  { prefix: 'SAV', name: 'Savant' },
  { prefix: 'LKJ1', name: 'LKJAgent, version 1' },
  { prefix: 'LKJ2', name: 'LKJAgent, version 2' },
  { prefix: 'RO', name: 'Settled: Loom' },
  { prefix: 'RN', name: 'Settled: Nexora' },
  { prefix: 'RS', name: 'Settled: Savant' },
  { prefix: 'RL', name: 'Settled: LKJAgent' },
  { prefix: 'RX', name: 'Settled: between the systems' },
];

export function readRequirements(): readonly SystemRequirement[] {
  const lines = readFileSync(join(repositoryRoot, 'docs/requirements.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  return lines.map((line, index) => {
    const [id, kind, text, ...rest] = line.split('\t');
    if (id === undefined || kind === undefined || text === undefined || rest.length > 0) {
      throw new Error(
        `docs/requirements.tsv:${index + 2}: expected id, kind and requirement, separated by tabs`,
      );
    }
    return { id, kind, text };
  });
}
