import type { ImportedRun } from '../api/index.ts';

type Level = ImportedRun['audit']['level'];

const gravity: Readonly<Record<Level, number>> = { fine: 0, nudge: 1, block: 2, ask: 3, stop: 4 };

/** The gravest level of some verdicts; `fine` where there are none. */
export function gravestOf(verdicts: readonly { readonly level: Level }[]): Level {
  return verdicts.reduce<Level>(
    (gravest, { level }) => (gravity[level] > gravity[gravest] ? level : gravest),
    'fine',
  );
}
