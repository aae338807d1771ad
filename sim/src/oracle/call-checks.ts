import { getUnpausedTurn, type Event, type Json } from '@pawl/core';
import type { SessionDriver } from '../sim-world.ts';
import { getCallMark, type SessionLedger, type OracleCallRecord } from './session-ledger.ts';
import type { SimOracleContext } from './oracle.ts';

/** Checks on tool calls. */
export type CallChecks = {
  /** The runtime runs a tool that has not ended; resolves with the result of the run. */
  trackRun<Result>(driver: SessionDriver, mark: string, run: Promise<Result>): Promise<Result>;
  /** An execution of the call actually started. */
  onStarted(driver: SessionDriver, start: CallStart): void;
  /** An execution of the call changed the external world. */
  onEffect(mark: string): void;
  /** The user answered; `args` are the arguments that were shown. */
  onAnswered(driver: Pick<SessionDriver, 'name'>, mark: string, answer: UserAnswer): void;
  onDecided(
    driver: SessionDriver,
    ledger: SessionLedger,
    event: Extract<Event, { type: 'permission-decided' }>,
  ): void;
  onResult(ledger: SessionLedger, record: OracleCallRecord, event: Event): void;
  onSpooled(execution: string, result: string): void;
  /** A spool lookup found no result: it was not there yet, or could not be read. */
  onSpoolMiss(execution: string): void;
  onRemoved(driver: SessionDriver, execution: string): void;
  /** Final checks at the end of a run. */
  checkCalls(): void;
};

export type CallStart = {
  readonly mark: string;
  readonly tool: string;
  readonly args: string;
  readonly execution: string;
  /** The step at which the runtime started the tool; it cannot know about later decisions. */
  readonly requestedAt: number;
};

/** Users who answer remotely, whichever process holds the session when the answer arrives. */
export const remotePeople = { name: 'people' } as const;

export type UserAnswer = { readonly decision: 'allow' | 'deny'; readonly args: string };

export function createCallChecks(context: SimOracleContext): CallChecks {
  const { ledgers, fail, externalWorld } = context;
  const answers = new Map<string, UserAnswer>();
  const executions = new Map<string, string>();
  const spooled = new Map<string, string>();
  const unread = new Set<string>();
  const running = new Map<string, SessionDriver>();
  return {
    trackRun(driver, mark, run) {
      running.set(mark, driver);
      return run.finally(() => running.delete(mark));
    },
    onStarted(driver, start) {
      const ledger = ledgers.get(driver.session);
      if (!driver.process.isAlive) fail(19, `${driver.name} is dead and starts ${start.mark}`);
      const record = ledger?.calls.get(start.mark);
      if (ledger === undefined || record === undefined)
        return fail(10, `${start.mark} runs, and no persisted reply contains it`);
      checkCallStart(context, driver, { ledger, record, start });
      checkCallPermission(context, record);
      const other = executions.get(start.execution);
      if (other !== undefined && other !== start.mark)
        fail(1, `${other} and ${start.mark} are one execution`);
      executions.set(start.execution, start.mark);
    },
    onEffect(mark) {
      const { changes } = externalWorld.getEffects(mark);
      if (changes > 1) fail(1, `${mark} was done ${changes} times`);
    },
    onAnswered(driver, mark, answer) {
      answers.set(`${driver.name} ${mark}`, answer);
    },
    onDecided(driver, ledger, { callId, decision }) {
      const record = ledger.openCalls.get(callId);
      const answer =
        answers.get(`${driver.name} ${record?.mark}`) ?? answers.get(`${remotePeople.name} ${record?.mark}`);
      if (record !== undefined && answer?.decision !== decision)
        fail(
          11,
          `${record.mark} is persisted as ${decision}; the user said ${answer?.decision ?? 'nothing'}`,
        );
      if (record !== undefined) record.shownArgs = answer?.args ?? null;
    },
    onResult(ledger, record, event) {
      record.resultStep = context.steps();
      if (event.type === 'tool-finished' && running.get(record.mark) === ledger.driver)
        fail(3, `${record.mark} is reported as ended, and still runs`);
      checkReportedResult(context, ledger, record);
      const { execution } = externalWorld.effects.get(record.mark) ?? { execution: null };
      const result = execution === null || unread.has(execution) ? undefined : spooled.get(execution);
      if (event.type !== 'tool-finished' || result === undefined || record.tool !== 'shell') return;
      if (JSON.stringify(record.outcome) !== result)
        fail(3, `${record.mark} had ended as ${result}, and is reported to have ended differently`);
    },
    onSpooled: (execution, result) => void spooled.set(execution, result),
    onSpoolMiss: (execution) => void unread.add(execution),
    onRemoved(driver, execution) {
      spooled.delete(execution);
      const mark = executions.get(execution);
      const ledger = ledgers.get(driver.session);
      const record = mark === undefined ? undefined : ledger?.calls.get(mark);
      if (ledger === undefined || record === undefined) return;
      if (record.outcome !== null || isResultPending(context, record)) return;
      // A superseded driver cleans up from outdated state; at worst, the model sees an interrupted call.
      if (ledger.driver === driver) fail(3, `the result of ${mark} is removed before the log has it`);
      else unread.add(execution);
    },
    checkCalls: () => checkCallResults(context),
  };
}

function checkCallResults({ ledgers, fail }: SimOracleContext): void {
  for (const { id, calls } of ledgers.values()) {
    for (const { mark, outcome, startCount } of calls.values()) {
      if (outcome === null) fail(3, `${mark} of ${id} never got a result`);
      if (startCount > 1) fail(3, `${mark} of ${id} has ${startCount} starts on record`);
    }
  }
}

/** Results join the conversation once all calls of the round have one; until then they are in the turn state. */
function isResultPending({ ledgers }: SimOracleContext, { callId, mark }: OracleCallRecord): boolean {
  for (const { session, calls } of ledgers.values()) {
    if (!calls.has(mark)) continue;
    const unpaused = getUnpausedTurn(session.turn);
    if (unpaused.status !== 'executingTools') return false;
    return unpaused.executions.some(({ call, status }) => call.id === callId && status === 'completed');
  }
  return false;
}

type CallStartContext = {
  readonly ledger: SessionLedger;
  readonly record: OracleCallRecord;
  readonly start: CallStart;
};

function checkCallStart(
  context: SimOracleContext,
  driver: SessionDriver,
  { ledger, record, start }: CallStartContext,
): void {
  const { fail, externalWorld, counts } = context;
  const entry = externalWorld.getEffects(start.mark);
  if (record.args !== start.args) fail(2, `${start.mark} runs with ${start.args}, not ${record.args}`);
  if (record.startCount === 0) fail(2, `${start.mark} runs, and its start is not on record`);
  if (start.tool === 'shell' && entry.starts > 1) fail(1, `${start.mark} was started ${entry.starts} times`);
  if (entry.execution !== null && entry.execution !== start.execution)
    fail(1, `${start.mark} runs under two executions`);
  entry.execution = start.execution;
  if (ledger.driver !== driver) counts.startsAfterTakeOver += 1;
  if (
    (record.outcome === null && !isResultPending(context, record)) ||
    start.requestedAt <= record.resultStep
  )
    return;
  // Fencing cannot stop a process between persisting the start of a call and starting it.
  if (ledger.driver === driver) fail(4, `${start.mark} starts after its result was reported`);
  else counts.lateStarts += 1;
}

function checkCallPermission(
  { fail }: SimOracleContext,
  { mark, permission, decision, args, shownArgs }: OracleCallRecord,
): void {
  if (permission === 'deny') fail(11, `${mark} runs although a rule denies it`);
  if (permission !== 'ask') return;
  if (decision !== 'allow') fail(11, `${mark} runs, and the persisted answer is ${decision}`);
  if (shownArgs !== args) fail(11, `${mark} runs with ${args}; the user was shown ${shownArgs}`);
}

const unstartedErrorKinds: ReadonlySet<string> = new Set(['denied', 'skipped', 'cancelled', 'invalid']);

/** The result reported to the model must match what happened. */
function checkReportedResult(
  context: SimOracleContext,
  { id }: SessionLedger,
  record: OracleCallRecord,
): void {
  const { mark, outcome } = record;
  const starts = context.externalWorld.effects.get(mark)?.starts ?? 0;
  if (outcome === null) return;
  if (outcome.ok) checkCompletedCall(context, record, outcome.output);
  else if (unstartedErrorKinds.has(outcome.error.kind) && starts > 0)
    context.fail(3, `${id} is told that ${mark} was ${outcome.error.kind}, although it had started`);
}

function checkCompletedCall(
  { fail, externalWorld }: SimOracleContext,
  { mark, tool }: OracleCallRecord,
  output: Json,
): void {
  const { starts = 0, changes = 0 } = externalWorld.effects.get(mark) ?? {};
  if (getCallMark(output) !== mark) fail(3, `the result of ${mark} is ${JSON.stringify(output)}`);
  if (starts === 0) fail(3, `${mark} is reported as done, and never started`);
  else if (tool !== 'read' && changes !== 1)
    fail(3, `${mark} is reported as done; it was done ${changes} times`);
}
