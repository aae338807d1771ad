import { Readable } from 'node:stream';
import { audit, type RecordedRun } from '@pawl/core';
import { readTraces } from '@pawl/runtime';
import type { ImportedRun } from '../api/index.ts';
import { idFor } from '../hosts/ids.ts';
import { exportedSession, isExported } from './exported-session.ts';
import { gravestOf } from './gravest.ts';
import { recordedSession, seqsOf } from './recorded-session.ts';

/** One thing found in a file: a run, or what kept it from being one. */
export type Upload =
  | { readonly run: ImportedRun }
  | { readonly problem: { readonly line: number | null; readonly message: string } };

const uploadLimits = { runs: 2_000, events: 400_000, problems: 100 } as const;

/** The runs in a file of any format that is known, one after the other, and the problems on the way. Nothing is kept. */
export async function* readUpload(
  bytes: Buffer,
  { name, now }: { readonly name: string; readonly now: number },
): AsyncGenerator<Upload> {
  if (isExported(bytes)) return yield exported(bytes, name);
  let [runs, events, problems] = [0, 0, 0];
  for await (const item of readTraces(['-'], { stdin: Readable.from([bytes]) })) {
    if ('problem' in item) {
      problems += 1;
      if (problems <= uploadLimits.problems) yield problem(item.problem.message, item.problem.line);
      continue;
    }
    if (runs >= uploadLimits.runs || events >= uploadLimits.events) {
      yield problem(`Only the first ${runs} runs are shown: together they are as much as a page can hold.`);
      return;
    }
    const run = importedRun(item.run, { name, number: runs + 1, now });
    runs += 1;
    events += run.events.length;
    yield { run };
  }
  if (problems > uploadLimits.problems) {
    yield problem(`There are ${problems - uploadLimits.problems} more problems like these.`);
  }
}

function exported(bytes: Buffer, name: string): Upload {
  try {
    return { run: exportedSession(bytes.toString('utf8'), name) };
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error));
  }
}

function problem(message: string, line: number | null = null): Upload {
  return { problem: { line, message } };
}

type Named = { readonly name: string; readonly number: number; readonly now: number };

function importedRun(run: RecordedRun, { name, number, now }: Named): ImportedRun {
  const verdicts = audit(run);
  const id = `import-${idFor('import', name, String(number), run.id)}`;
  const { created, events, seqOf, timed } = recordedSession(run, verdicts, { id, now });
  return {
    // What has no name of its own is called after the file it came in.
    name: run.id.replace(/^(?:stdin(?=#|$)|$)/, () => name),
    format: run.source ?? 'unknown',
    model: run.model ?? null,
    success: run.success ?? null,
    created,
    events,
    audit: {
      level: gravestOf(verdicts),
      verdicts: verdicts.map(({ step, level, rule, reason, advice, evidence }) => ({
        step,
        seq: seqOf.get(step) ?? null,
        level,
        rule,
        reason,
        advice,
        evidence: seqsOf(evidence, seqOf),
      })),
    },
    cut: timed ? null : 'The record has no times: a second was put between its steps.',
  };
}
