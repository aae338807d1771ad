import type { ImportedRun, ImportResult } from '../../app/api-types.ts';

/** An imported run in the list. */
export type ImportedRunRow = {
  readonly name: string;
  readonly format: string;
  readonly model: string | null;
  readonly success: boolean | null;
  readonly events: number;
  readonly level: ImportedRun['audit']['level'];
  /** The first of the most severe verdicts. */
  readonly finding: { readonly rule: string; readonly reason: string; readonly seq: number | null } | null;
  readonly verdicts: number;
  readonly cut: string | null;
};

const auditLevelSeverity: Readonly<Record<ImportedRun['audit']['level'], number>> = {
  fine: 0,
  nudge: 1,
  block: 2,
  ask: 3,
  stop: 4,
};

export function toImportedRunRow({
  name,
  format,
  model,
  success,
  events,
  audit,
  cut,
}: ImportedRun): ImportedRunRow {
  const { verdicts, level } = audit;
  const gravest = verdicts.toSorted(
    (one, other) => auditLevelSeverity[other.level] - auditLevelSeverity[one.level],
  )[0];
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
        : { rule: gravest.rule, reason: gravest.reason, seq: findVerdictEvent(events, gravest) },
    verdicts: verdicts.length,
    cut,
  };
}

/** A verdict above advice has its own event shortly after the step that caused it. */
function findVerdictEvent(
  events: ImportedRun['events'],
  { seq, rule }: Pick<ImportedRun['audit']['verdicts'][number], 'seq' | 'rule'>,
): number | null {
  if (seq === null) return null;
  const told = events
    .slice(seq, seq + verdictLookAheadMax)
    .find(({ event }) => event.type === 'verdict-reached' && event.verdict.rule === rule);
  return told?.seq ?? seq;
}

const verdictLookAheadMax = 4;

/** Readable labels of the audit levels. */
export const auditLevelLabels: Readonly<Record<ImportedRun['audit']['level'], string>> = {
  fine: 'nothing to say',
  nudge: 'would have been told',
  block: 'a call would have been refused',
  ask: 'a person would have been asked',
  stop: 'would have been stopped',
};

/** Summarizes the import of a file in one line. */
export function formatImportResult({ runs, problems }: ImportResult): string {
  const read = runs.length === 1 ? 'One run was read' : `${runs.length} runs were read`;
  if (problems.length === 0) return `${read}.`;
  return `${read}; ${problems.length === 1 ? 'one piece' : `${problems.length} pieces`} could not be.`;
}

/** Sorts runs by severity, most severe first. */
export function sortBySeverity(
  rows: readonly (ImportedRunRow & { readonly address: string })[],
): readonly (ImportedRunRow & { readonly address: string })[] {
  return rows.toSorted((one, other) => auditLevelSeverity[other.level] - auditLevelSeverity[one.level]);
}
