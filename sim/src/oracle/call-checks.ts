import { unpaused, type Event, type Json } from '@pawl/core';
import type { Driver } from '../world.ts';
import { markOf, type Book, type CallRecord } from './book.ts';
import type { Known } from './oracle.ts';

/** What becomes of the calls of a model. */
export type CallChecks = {
  /** The runtime has a tool run, and it has not ended; resolves as the run does. */
  runs<Result>(driver: Driver, mark: string, run: Promise<Result>): Promise<Result>;
  /** A run of a call gets as far as to do something. */
  started(driver: Driver, start: Start): void;
  /** A run of a call changed the world. */
  effected(mark: string): void;
  /** The user has answered; `args` is what was shown. */
  answered(driver: Pick<Driver, 'name'>, mark: string, answer: Answer): void;
  decided(driver: Driver, book: Book, event: Extract<Event, { type: 'permission-decided' }>): void;
  settled(book: Book, record: CallRecord, event: Event): void;
  spooled(execution: string, result: string): void;
  /** Somebody looked into the spool and could not see a result: it was not there yet, or could not be read. */
  spoolUnread(execution: string): void;
  forgotten(driver: Driver, execution: string): void;
  /** At the end of a run. */
  checkCalls(): void;
};

export type Start = {
  readonly mark: string;
  readonly tool: string;
  readonly args: string;
  readonly execution: string;
  /** The step at which the runtime had it run: what was decided later it could not know. */
  readonly asked: number;
};

/** Those who answer from elsewhere, whoever has the session when their answer gets there. */
export const people = { name: 'people' } as const;

export type Answer = { readonly decision: 'allow' | 'deny'; readonly args: string };

export function callChecks(known: Known): CallChecks {
  const { books, fail, outside } = known;
  const answers = new Map<string, Answer>();
  const executions = new Map<string, string>();
  const spooled = new Map<string, string>();
  const unread = new Set<string>();
  const running = new Map<string, Driver>();
  return {
    runs(driver, mark, run) {
      running.set(mark, driver);
      return run.finally(() => running.delete(mark));
    },
    started(driver, start) {
      const book = books.get(driver.session);
      if (!driver.process.alive) fail(19, `${driver.name} is dead and starts ${start.mark}`);
      const record = book?.calls.get(start.mark);
      if (book === undefined || record === undefined)
        return fail(10, `${start.mark} runs, and no kept reply has it`);
      checkStart(known, driver, { book, record, start });
      checkPermission(known, record);
      const other = executions.get(start.execution);
      if (other !== undefined && other !== start.mark)
        fail(1, `${other} and ${start.mark} are one execution`);
      executions.set(start.execution, start.mark);
    },
    effected(mark) {
      const { effects } = outside.deed(mark);
      if (effects > 1) fail(1, `${mark} was done ${effects} times`);
    },
    answered(driver, mark, answer) {
      answers.set(`${driver.name} ${mark}`, answer);
    },
    decided(driver, book, { callId, decision }) {
      const record = book.open.get(callId);
      const answer =
        answers.get(`${driver.name} ${record?.mark}`) ?? answers.get(`${people.name} ${record?.mark}`);
      if (record !== undefined && answer?.decision !== decision)
        fail(11, `${record.mark} is kept as ${decision}; the user said ${answer?.decision ?? 'nothing'}`);
      if (record !== undefined) record.shown = answer?.args ?? null;
    },
    settled(book, record, event) {
      record.settledAt = known.steps();
      if (event.type === 'tool-finished' && running.get(record.mark) === book.driver)
        fail(3, `${record.mark} is told to have ended, and runs`);
      checkTruth(known, book, record);
      const { execution } = outside.deeds.get(record.mark) ?? { execution: null };
      const result = execution === null || unread.has(execution) ? undefined : spooled.get(execution);
      if (event.type !== 'tool-finished' || result === undefined || record.tool !== 'shell') return;
      if (JSON.stringify(record.outcome) !== result)
        fail(3, `${record.mark} had ended as ${result}, and is told to have ended otherwise`);
    },
    spooled: (execution, result) => void spooled.set(execution, result),
    spoolUnread: (execution) => void unread.add(execution),
    forgotten(driver, execution) {
      spooled.delete(execution);
      const mark = executions.get(execution);
      const book = books.get(driver.session);
      const record = mark === undefined ? undefined : book?.calls.get(mark);
      if (book === undefined || record === undefined) return;
      if (record.outcome !== null || isInRound(known, record)) return;
      // Whom the session was taken from tidies up by what it knew: the worst of it is that the model hears of an interruption.
      if (book.driver === driver) fail(3, `the result of ${mark} is forgotten before the log has it`);
      else unread.add(execution);
    },
    checkCalls: () => checkEnds(known),
  };
}

function checkEnds({ books, fail }: Known): void {
  for (const { id, calls } of books.values()) {
    for (const { mark, outcome, intents } of calls.values()) {
      if (outcome === null) fail(3, `${mark} of ${id} never got a result`);
      if (intents > 1) fail(3, `${mark} of ${id} has ${intents} starts on record`);
    }
  }
}

/** A result joins the conversation when all calls of its round have one; until then it stands in the state. */
function isInRound({ books }: Known, { callId, mark }: CallRecord): boolean {
  for (const { session, calls } of books.values()) {
    if (!calls.has(mark)) continue;
    const held = unpaused(session.turn);
    if (held.status !== 'executingTools') return false;
    return held.executions.some(({ call, status }) => call.id === callId && status === 'completed');
  }
  return false;
}

type Starting = { readonly book: Book; readonly record: CallRecord; readonly start: Start };

function checkStart(known: Known, driver: Driver, { book, record, start }: Starting): void {
  const { fail, outside, counts } = known;
  const deed = outside.deed(start.mark);
  if (record.args !== start.args) fail(2, `${start.mark} runs with ${start.args}, not ${record.args}`);
  if (record.intents === 0) fail(2, `${start.mark} runs, and its start is not on record`);
  if (start.tool === 'shell' && deed.starts > 1) fail(1, `${start.mark} was started ${deed.starts} times`);
  if (deed.execution !== null && deed.execution !== start.execution)
    fail(1, `${start.mark} runs under two executions`);
  deed.execution = start.execution;
  if (book.driver !== driver) counts.startsAfterTakeOver += 1;
  if ((record.outcome === null && !isInRound(known, record)) || start.asked <= record.settledAt) return;
  // Between the moment its start was kept and the moment it starts, a process cannot be kept out.
  if (book.driver === driver) fail(4, `${start.mark} starts after its result was told`);
  else counts.lateStarts += 1;
}

function checkPermission({ fail }: Known, { mark, permission, decided, args, shown }: CallRecord): void {
  if (permission === 'deny') fail(11, `${mark} runs although a rule denies it`);
  if (permission !== 'ask') return;
  if (decided !== 'allow') fail(11, `${mark} runs, and what is kept of the answer is ${decided}`);
  if (shown !== args) fail(11, `${mark} runs with ${args}; the user was shown ${shown}`);
}

const unstarted: ReadonlySet<string> = new Set(['denied', 'skipped', 'cancelled', 'invalid']);

/** What the model is told of a call is what happened. */
function checkTruth(known: Known, { id }: Book, record: CallRecord): void {
  const { mark, outcome } = record;
  const starts = known.outside.deeds.get(mark)?.starts ?? 0;
  if (outcome === null) return;
  if (outcome.ok) checkDone(known, record, outcome.output);
  else if (unstarted.has(outcome.error.kind) && starts > 0)
    known.fail(3, `${id} is told that ${mark} was ${outcome.error.kind}, and it had started`);
}

function checkDone({ fail, outside }: Known, { mark, tool }: CallRecord, output: Json): void {
  const { starts = 0, effects = 0 } = outside.deeds.get(mark) ?? {};
  if (markOf(output) !== mark) fail(3, `the result of ${mark} is ${JSON.stringify(output)}`);
  if (starts === 0) fail(3, `${mark} is told to be done, and never started`);
  else if (tool !== 'read' && effects !== 1)
    fail(3, `${mark} is told to be done; it was done ${effects} times`);
}
