import { readTraces, StoreError, TraceSourceError, type SessionSummary, type Store } from '@pawl/runtime';
import type { Io } from '../io.ts';
import type { LearntRun } from '../learn/run-facts.ts';
import { progressLine } from '../progress-line.ts';
import { openStoreFor } from '../store-option.ts';
import { asUsageError } from '../usage-error.ts';
import { problemTeller } from './audit-problems.ts';
import type { Label } from './learn-labels.ts';
import { learntSession } from './learn-session.ts';
import { allSessions, sessionsMeant } from './session-named.ts';
import type { SessionFlags } from './session-store.ts';
import { walkSession } from './show-walk.ts';
import type { VerdictMark } from './verdict-marks.ts';
import { readingText } from './audit.ts';

export type Reading = SessionFlags & {
  readonly traces: readonly string[];
  readonly all?: boolean | undefined;
  readonly labels: ReadonlyMap<string, Label>;
  readonly signal?: AbortSignal | undefined;
};

/** Every run there is to learn from, one after the other: kept sessions, then recorded runs. A run that comes twice counts once. */
export async function* runsToLearnFrom(reading: Reading, io: Io): AsyncGenerator<LearntRun, void, undefined> {
  const known = new Set<string>();
  for await (const learnt of both(reading, io)) {
    if (reading.signal?.aborted === true) return;
    const name = JSON.stringify([learnt.source, learnt.run.id]);
    if (known.has(name)) continue;
    known.add(name);
    yield labelled(learnt, reading.labels.get(learnt.run.id));
  }
}

async function* both(reading: Reading, io: Io): AsyncGenerator<LearntRun, void, undefined> {
  yield* sessionsIn(reading, io);
  yield* tracesIn(reading, io);
}

/** What somebody wrote down about a run goes before what the run says itself. */
function labelled(learnt: LearntRun, label: Label | undefined): LearntRun {
  if (label === undefined) return learnt;
  const { resolved = learnt.success, judgement } = label;
  return { ...learnt, success: resolved, judgement: judgement ?? learnt.judgement };
}

async function* sessionsIn(reading: Reading, io: Io): AsyncGenerator<LearntRun, void, undefined> {
  const opened = await openStoreFor(reading);
  const progress = progressLine(io.stderr);
  try {
    const { store } = opened;
    const all = await allSessions(store);
    const meant = sessionsMeant(all, reading);
    const kept = await opened.marks?.read(meant.map(({ id }) => id));
    const marks = Map.groupBy(kept?.marks ?? [], ({ session }) => session);
    let damaged = 0;
    for (const [index, summary] of meant.entries()) {
      progress.show(`Reading session ${index + 1} of ${meant.length} …`);
      const learnt = await learntFrom(store, summary, marks.get(summary.id) ?? []);
      if (learnt === null) damaged += 1;
      else yield learnt;
    }
    progress.clear();
    if (damaged > 0) io.stderr.write(`Sessions that cannot be read and are left out: ${damaged}.\n`);
  } finally {
    progress.clear();
    await opened.close();
  }
}

/** Null for a session that cannot be read; the others still count. */
async function learntFrom(
  store: Store,
  summary: SessionSummary,
  marks: readonly VerdictMark[],
): Promise<LearntRun | null> {
  if (summary.status === 'damaged') return null;
  try {
    return await learntSession(summary, await walkSession(store, summary.id, summary.head), marks);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

async function* tracesIn(reading: Reading, io: Io): AsyncGenerator<LearntRun, void, undefined> {
  if (reading.traces.length === 0) return;
  const problems = problemTeller(io.stderr);
  const progress = progressLine(io.stderr);
  let runs = 0;
  const onProgress = (file: string, bytes: number): void => progress.show(readingText(runs, file, bytes));
  const { signal } = reading;
  try {
    const options = { stdin: io.stdin, onProgress, ...(signal !== undefined && { signal }) };
    for await (const item of readTraces(reading.traces, options)) {
      if ('problem' in item) {
        progress.clear();
        problems.tell(item.problem);
        continue;
      }
      runs += 1;
      const { run, file } = item;
      yield { run, source: run.source ?? file, success: run.success ?? null, judgement: null };
    }
  } catch (error) {
    throw asUsageError(error, TraceSourceError);
  } finally {
    progress.clear();
    problems.end();
  }
}
