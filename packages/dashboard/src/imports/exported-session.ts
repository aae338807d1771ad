import { step, type Session, type Verdict } from '@pawl/core';
import {
  exportFormat,
  ExportedSessionError,
  parseExportedSession,
  type ExportedSession,
} from '@pawl/runtime/logs';
import { getMetadataText } from '@pawl/runtime/store';
import type { ImportedRun, NumberedEvent } from '../api/index.ts';

/** The first bytes that `pawl export --as json` and `--as jsonl` write. */
const exportSignature = /^\s*\{\s*"format"\s*:\s*"pawl-session"/;

/** Whether `pawl export` wrote the file. */
export function isExportedSession(bytes: Buffer): boolean {
  return exportSignature.test(
    bytes
      .subarray(0, 200)
      .toString('utf8')
      .replace(/^\uFEFF/, ''),
  );
}

/** Reads an exported session. Throws an `Error` that describes the problem. */
export function readExportedSession(text: string, name: string): ImportedRun {
  const { created, metadata, events } = parseExport(text);
  return {
    name,
    format: exportFormat,
    model: getMetadataText(metadata, 'model'),
    success: null,
    created,
    events: events.map(({ seq, event }) => ({ seq, event })),
    audit: replayAudit(created, events),
    cut: null,
  };
}

function parseExport(text: string): ExportedSession {
  try {
    return parseExportedSession(text);
  } catch (error) {
    throw error instanceof ExportedSessionError
      ? new Error(describeExportError(error), { cause: error })
      : error;
  }
}

function describeExportError({ problem, message, seq }: ExportedSessionError): string {
  switch (problem) {
    case 'version':
      return 'The file was exported by another version of Pawl. Export the session again with this version.';
    case 'changed-event':
      return `Event ${seq} or an earlier one was modified after the export.`;
    case 'invalid-event':
      return `Event ${seq} is invalid: ${message}`;
    case 'format':
      return `The file is not a valid export: ${message}.`;
    default:
      return problem satisfies never;
  }
}

/** Replay reveals defects deep inside the initial session. */
function replayAudit(created: Session, events: readonly NumberedEvent[]): ImportedRun['audit'] {
  try {
    return collectAudit(created, events);
  } catch (error) {
    throw new Error('The initial session cannot be replayed.', { cause: error });
  }
}

/** Collects the verdicts that the session's own governor reached. */
function collectAudit(created: Session, events: readonly NumberedEvent[]): ImportedRun['audit'] {
  let session = created;
  const verdicts: ImportedRun['audit']['verdicts'] = [];
  for (const { seq, event } of events) {
    const { session: after, notes } = step(session, event);
    session = after;
    for (const note of notes) {
      if (note.type === 'verdict') verdicts.push(toImportedVerdict(note.verdict, seq));
    }
  }
  return { severity: findHighestSeverity(verdicts), verdicts };
}

function toImportedVerdict(
  { severity, rule, reason, advice, evidence }: Verdict,
  seq: number,
): ImportedRun['audit']['verdicts'][number] {
  return {
    step: seq,
    seq,
    severity,
    rule,
    reason,
    advice,
    evidence: [...evidence],
  };
}

type AuditSeverity = ImportedRun['audit']['severity'];

const severityRanks: Readonly<Record<AuditSeverity, number>> = {
  none: 0,
  advise: 1,
  block: 2,
  ask: 3,
  stop: 4,
};

/** Returns the highest severity of the verdicts, or `none` without verdicts. */
export function findHighestSeverity(
  verdicts: readonly { readonly severity: AuditSeverity }[],
): AuditSeverity {
  return verdicts.reduce<AuditSeverity>(
    (mostSevere, { severity }) =>
      severityRanks[severity] > severityRanks[mostSevere] ? severity : mostSevere,
    'none',
  );
}
