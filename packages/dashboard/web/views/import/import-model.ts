import type { ImportedRun, ImportResult } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';

/** An imported run in the list. */
export type ImportedRunRow = {
  readonly name: string;
  readonly format: string;
  readonly model: string | null;
  readonly success: boolean | null;
  readonly events: number;
  readonly severity: ImportedRun['audit']['severity'];
  /** The first of the most severe verdicts. */
  readonly worstVerdict: {
    readonly rule: string;
    readonly reason: string;
    readonly seq: number | null;
  } | null;
  readonly verdicts: number;
  readonly cut: string | null;
};

const auditSeverityRanks: Readonly<Record<ImportedRun['audit']['severity'], number>> = {
  none: 0,
  advise: 1,
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
  const { verdicts, severity } = audit;
  const mostSevere = verdicts.toSorted(
    (one, other) => auditSeverityRanks[other.severity] - auditSeverityRanks[one.severity],
  )[0];
  return {
    name,
    format,
    model,
    success,
    events: events.length,
    severity,
    worstVerdict:
      mostSevere === undefined
        ? null
        : { rule: mostSevere.rule, reason: mostSevere.reason, seq: findVerdictEvent(events, mostSevere) },
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
  const verdictEvent = events
    .slice(seq, seq + verdictLookAheadMax)
    .find(({ event }) => event.type === 'verdict-reached' && event.verdict.rule === rule);
  return verdictEvent?.seq ?? seq;
}

const verdictLookAheadMax = 4;

/** Readable labels of the audit severities. */
export const auditSeverityLabels: Readonly<Record<ImportedRun['audit']['severity'], string>> = {
  none: 'no verdicts',
  advise: 'would have been advised',
  block: 'a call would have been blocked',
  ask: 'a user would have been asked',
  stop: 'would have been stopped',
};

/** Summarizes the import of a file in one line. */
export function formatImportResult({ runs, problems }: ImportResult): string {
  const imported = `${formatCount(runs.length, 'run')} imported`;
  if (problems.length === 0) return `${imported}.`;
  return `${imported}, ${formatCount(problems.length, 'problem')}.`;
}

/** Sorts runs by severity, most severe first. */
export function sortBySeverity(
  rows: readonly (ImportedRunRow & { readonly address: string })[],
): readonly (ImportedRunRow & { readonly address: string })[] {
  return rows.toSorted((one, other) => auditSeverityRanks[other.severity] - auditSeverityRanks[one.severity]);
}
