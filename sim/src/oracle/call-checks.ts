import { getUnpausedTurn, type Event, type Json } from '@pawl/core';
import type { SessionDriver } from '../sim-world.ts';
import { getCallMark, type SessionLedger, type OracleCallRecord } from './session-ledger.ts';
import type { SimOracleContext } from './oracle.ts';

/** Checks on tool calls. */
export type CallChecks = {
  /** The runtime runs a tool that has not ended; resolves with the result of the run. */
  runs<Result>(driver: SessionDriver, mark: string, run: Promise<Result>): Promise<Result>;
  /** An execution of the call actually started. */
  started(driver: SessionDriver, start: CallStart): void;
  /** An execution of the call changed the external world. */
  effected(mark: string): void;
  /** The user answered; `args` are the arguments that were shown. */
  answered(driver: Pick<SessionDriver, 'name'>, mark: string, answer: UserAnswer): void;
  decided(
    driver: SessionDriver,
    book: SessionLedger,
    event: Extract<Event, { type: 'permission-decided' }>,
  ): void;
  settled(book: SessionLedger, record: OracleCallRecord, event: Event): void;
  spooled(execution: string, result: string): void;
  /** A spool lookup found no result: it was not there yet, or could not be read. */
  spoolUnread(execution: string): void;
  forgotten(driver: SessionDriver, execution: string): void;
  /** Final checks at the end of a run. */
  checkCalls(): void;
};

export type CallStart = {
  readonly mark: string;
  readonly tool: string;
  readonly args: string;
  readonly execution: string;
  /** The step at which the runtime started the tool; it cannot know about later decisions. */
  readonly asked: number;
};

/** Users who answer remotely, whichever process holds the session when the answer arrives. */
export const remotePeople = { name: 'people' } as const;

export type UserAnswer = { readonly decision: 'allow' | 'deny'; readonly args: string };

export function createCallChecks(known: SimOracleContext): CallChecks {
  const { books, fail, outside } = known;
  const answers = new Map<string, UserAnswer>();
  const executions = new Map<string, string>();
  const spooled = new Map<string, string>();
  const unread = new Set<string>();
  const running = new Map<string, SessionDriver>();
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
      checkCallStart(known, driver, { book, record, start });
      checkCallPermission(known, record);
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
        answers.get(`${driver.name} ${record?.mark}`) ?? answers.get(`${remotePeople.name} ${record?.mark}`);
      if (record !== undefined && answer?.decision !== decision)
        fail(11, `${record.mark} is kept as ${decision}; the user said ${answer?.decision ?? 'nothing'}`);
      if (record !== undefined) record.shown = answer?.args ?? null;
    },
    settled(book, record, event) {
      record.settledAt = known.steps();
      if (event.type === 'tool-finished' && running.get(record.mark) === book.driver)
        fail(3, `${record.mark} is told to have ended, and runs`);
      checkReportedResult(known, book, record);
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
      if (record.outcome !== null || isResultPending(known, record)) return;
      // A superseded driver cleans up from outdated state; at worst, the model sees an interrupted call.
      if (book.driver === driver) fail(3, `the result of ${mark} is forgotten before the log has it`);
      else unread.add(execution);
    },
    checkCalls: () => checkCallResults(known),
  };
}

function checkCallResults({ books, fail }: SimOracleContext): void {
  for (const { id, calls } of books.values()) {
    for (const { mark, outcome, intents } of calls.values()) {
      if (outcome === null) fail(3, `${mark} of ${id} never got a result`);
      if (intents > 1) fail(3, `${mark} of ${id} has ${intents} starts on record`);
    }
  }
}

/** Results join the conversation once all calls of the round have one; until then they are in the turn state. */
function isResultPending({ books }: SimOracleContext, { callId, mark }: OracleCallRecord): boolean {
  for (const { session, calls } of books.values()) {
    if (!calls.has(mark)) continue;
    const held = getUnpausedTurn(session.turn);
    if (held.status !== 'executingTools') return false;
    return held.executions.some(({ call, status }) => call.id === callId && status === 'completed');
  }
  return false;
}

type CallStartContext = {
  readonly book: SessionLedger;
  readonly record: OracleCallRecord;
  readonly start: CallStart;
};

function checkCallStart(
  known: SimOracleContext,
  driver: SessionDriver,
  { book, record, start }: CallStartContext,
): void {
  const { fail, outside, counts } = known;
  const deed = outside.deed(start.mark);
  if (record.args !== start.args) fail(2, `${start.mark} runs with ${start.args}, not ${record.args}`);
  if (record.intents === 0) fail(2, `${start.mark} runs, and its start is not on record`);
  if (start.tool === 'shell' && deed.starts > 1) fail(1, `${start.mark} was started ${deed.starts} times`);
  if (deed.execution !== null && deed.execution !== start.execution)
    fail(1, `${start.mark} runs under two executions`);
  deed.execution = start.execution;
  if (book.driver !== driver) counts.startsAfterTakeOver += 1;
  if ((record.outcome === null && !isResultPending(known, record)) || start.asked <= record.settledAt) return;
  // Fencing cannot stop a process between persisting the start of a call and starting it.
  if (book.driver === driver) fail(4, `${start.mark} starts after its result was told`);
  else counts.lateStarts += 1;
}

function checkCallPermission(
  { fail }: SimOracleContext,
  { mark, permission, decided, args, shown }: OracleCallRecord,
): void {
  if (permission === 'deny') fail(11, `${mark} runs although a rule denies it`);
  if (permission !== 'ask') return;
  if (decided !== 'allow') fail(11, `${mark} runs, and what is kept of the answer is ${decided}`);
  if (shown !== args) fail(11, `${mark} runs with ${args}; the user was shown ${shown}`);
}

const unstartedErrorKinds: ReadonlySet<string> = new Set(['denied', 'skipped', 'cancelled', 'invalid']);

/** The result reported to the model must match what happened. */
function checkReportedResult(known: SimOracleContext, { id }: SessionLedger, record: OracleCallRecord): void {
  const { mark, outcome } = record;
  const starts = known.outside.deeds.get(mark)?.starts ?? 0;
  if (outcome === null) return;
  if (outcome.ok) checkCompletedCall(known, record, outcome.output);
  else if (unstartedErrorKinds.has(outcome.error.kind) && starts > 0)
    known.fail(3, `${id} is told that ${mark} was ${outcome.error.kind}, and it had started`);
}

function checkCompletedCall(
  { fail, outside }: SimOracleContext,
  { mark, tool }: OracleCallRecord,
  output: Json,
): void {
  const { starts = 0, effects = 0 } = outside.deeds.get(mark) ?? {};
  if (getCallMark(output) !== mark) fail(3, `the result of ${mark} is ${JSON.stringify(output)}`);
  if (starts === 0) fail(3, `${mark} is told to be done, and never started`);
  else if (tool !== 'read' && effects !== 1)
    fail(3, `${mark} is told to be done; it was done ${effects} times`);
}
