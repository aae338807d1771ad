import type { ImportedRun, Imports } from '../../app/api-types.ts';

/** A run that was read from a file, and where in the page it can be looked at. */
export type RunRow = {
  readonly name: string;
  readonly format: string;
  readonly model: string | null;
  readonly success: boolean | null;
  readonly events: number;
  readonly level: ImportedRun['audit']['level'];
  /** The verdict that would have ended it, or else the first of the gravest. */
  readonly finding: { readonly rule: string; readonly reason: string; readonly seq: number | null } | null;
  readonly verdicts: number;
  readonly cut: string | null;
};

const gravity: Readonly<Record<ImportedRun['audit']['level'], number>> = {
  fine: 0,
  nudge: 1,
  block: 2,
  ask: 3,
  stop: 4,
};

export function runRow({ name, format, model, success, events, audit, cut }: ImportedRun): RunRow {
  const { verdicts, level } = audit;
  const gravest = verdicts.toSorted((one, other) => gravity[other.level] - gravity[one.level])[0];
  return {
    name,
    format,
    model,
    success,
    events: events.length,
    level,
    finding:
      gravest === undefined
        ? null
        : { rule: gravest.rule, reason: gravest.reason, seq: toldAt(events, gravest) },
    verdicts: verdicts.length,
    cut,
  };
}

/** What would have ended the run is told by an event of its own, soon after the step that it is about. */
function toldAt(
  events: ImportedRun['events'],
  { seq, rule }: Pick<ImportedRun['audit']['verdicts'][number], 'seq' | 'rule'>,
): number | null {
  if (seq === null) return null;
  const told = events
    .slice(seq, seq + nearMax)
    .find(({ event }) => event.type === 'verdict-reached' && event.verdict.rule === rule);
  return told?.seq ?? seq;
}

const nearMax = 4;

/** What a level of the audit means, in words. */
export const levelWords: Readonly<Record<ImportedRun['audit']['level'], string>> = {
  fine: 'nothing to say',
  nudge: 'would have been told',
  block: 'a call would have been refused',
  ask: 'a person would have been asked',
  stop: 'would have been stopped',
};

/** What came of a file, on one line. */
export function importText({ runs, problems }: Imports): string {
  const read = runs.length === 1 ? 'One run was read' : `${runs.length} runs were read`;
  if (problems.length === 0) return `${read}.`;
  return `${read}; ${problems.length === 1 ? 'one piece' : `${problems.length} pieces`} could not be.`;
}

/** Runs with something to say first, as they are most worth a look. */
export function byGravity(
  rows: readonly (RunRow & { readonly address: string })[],
): readonly (RunRow & { readonly address: string })[] {
  return rows.toSorted((one, other) => gravity[other.level] - gravity[one.level]);
}
