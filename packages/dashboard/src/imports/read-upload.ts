import { Readable } from 'node:stream';
import { auditRun } from '@pawl/governor/audit';
import type { RecordedRun } from '@pawl/governor/traces';
import { readTraces } from '@pawl/runtime/traces';
import type { ImportedRun } from '../api/index.ts';
import { deriveStableId } from '../hosts/session-host.ts';
import { readExportedSession, isExportedSession, findHighestSeverity } from './exported-session.ts';
import { buildRecordedSession, toEventNumbers } from './recorded-session.ts';

/** One item found in a file: a run, or a problem. */
export type UploadItem =
  | { readonly run: ImportedRun }
  | { readonly problem: { readonly line: number | null; readonly message: string } };

const uploadLimits = { runs: 2_000, events: 400_000, problems: 100 } as const;

/** Yields the runs in a file of any supported format, and the problems found in it. Nothing is stored. */
export async function* readUpload(
  bytes: Buffer,
  { name, now }: { readonly name: string; readonly now: number },
): AsyncGenerator<UploadItem> {
  if (isExportedSession(bytes)) return yield readExportedItem(bytes, name);
  let [runs, events, problems] = [0, 0, 0];
  for await (const item of readTraces(['-'], { stdin: Readable.from([bytes]) })) {
    if ('problem' in item) {
      problems += 1;
      if (problems <= uploadLimits.problems) yield createProblemItem(item.problem.message, item.problem.line);
      continue;
    }
    if (runs >= uploadLimits.runs || events >= uploadLimits.events) {
      yield createProblemItem(`Only the first ${runs} runs are shown, because a page cannot hold more.`);
      return;
    }
    const run = toImportedRun(item.run, { name, number: runs + 1, now });
    runs += 1;
    events += run.events.length;
    yield { run };
  }
  if (problems > uploadLimits.problems) {
    yield createProblemItem(`There are ${problems - uploadLimits.problems} more problems like these.`);
  }
}

function readExportedItem(bytes: Buffer, name: string): UploadItem {
  try {
    return { run: readExportedSession(bytes.toString('utf8'), name) };
  } catch (error) {
    return createProblemItem(error instanceof Error ? error.message : String(error));
  }
}

function createProblemItem(message: string, line: number | null = null): UploadItem {
  return { problem: { line, message } };
}

type ImportSource = { readonly name: string; readonly number: number; readonly now: number };

function toImportedRun(run: RecordedRun, { name, number, now }: ImportSource): ImportedRun {
  const verdicts = auditRun(run);
  const id = `import-${deriveStableId('import', name, String(number), run.id)}`;
  const { created, events, seqByStep, hasTimestamps } = buildRecordedSession(run, verdicts, { id, now });
  return {
    // A run without a name of its own is named after the file.
    name: run.id.replace(/^(?:stdin(?=#|$)|$)/, () => name),
    format: run.source ?? 'unknown',
    model: run.model ?? null,
    success: run.success ?? null,
    created,
    events,
    audit: {
      severity: findHighestSeverity(verdicts),
      verdicts: verdicts.map(({ step, severity, rule, reason, advice, evidence }) => ({
        step,
        seq: seqByStep.get(step) ?? null,
        severity,
        rule,
        reason,
        advice,
        evidence: toEventNumbers(evidence, seqByStep),
      })),
    },
    cut: hasTimestamps ? null : 'The recording has no timestamps; steps are shown one second apart.',
  };
}
