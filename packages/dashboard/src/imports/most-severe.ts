import type { ImportedRun } from '../api/index.ts';

type AuditSeverity = ImportedRun['audit']['severity'];

const severityRanks: Readonly<Record<AuditSeverity, number>> = {
  none: 0,
  advise: 1,
  block: 2,
  ask: 3,
  stop: 4,
};

/** Returns the highest severity of the verdicts, or `none` without verdicts. */
export function findMostSevere(verdicts: readonly { readonly severity: AuditSeverity }[]): AuditSeverity {
  return verdicts.reduce<AuditSeverity>(
    (mostSevere, { severity }) =>
      severityRanks[severity] > severityRanks[mostSevere] ? severity : mostSevere,
    'none',
  );
}
