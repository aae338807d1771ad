import type { ImportedRun } from '../api/index.ts';

type ImportLevel = ImportedRun['audit']['level'];

const levelSeverity: Readonly<Record<ImportLevel, number>> = { fine: 0, nudge: 1, block: 2, ask: 3, stop: 4 };

/** Returns the most severe level of the verdicts, or `fine` if there are none. */
export function findMostSevereLevel(verdicts: readonly { readonly level: ImportLevel }[]): ImportLevel {
  return verdicts.reduce<ImportLevel>(
    (mostSevere, { level }) => (levelSeverity[level] > levelSeverity[mostSevere] ? level : mostSevere),
    'fine',
  );
}
