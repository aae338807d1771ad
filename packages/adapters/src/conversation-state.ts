import {
  createSession,
  isTerminalSession,
  step,
  type Event,
  type Json,
  type Session,
  type Verdict,
} from '@pawl/core';
import {
  observeCall,
  pawlRecoveries,
  readToolResult,
  removeHostText,
  type BlockedCall,
} from '@pawl/governor';
import type { RecordedStep } from '@pawl/governor/traces';
import type { GovernOptions } from './options.ts';
import type { ConversationRound } from './rounds.ts';

/*
 * Converts a host's conversation into the events that the runtime would have produced, so that rules, escalation,
 * blocked calls and budgets use the same code and mean the same in every host.
 */

/** The state of a conversation: plain JSON, determined by its rounds and their times. */
export type ConversationState = {
  readonly session: Session;
  /** The verdict of the latest round. */
  readonly verdict: Verdict | null;
  /** The latest user texts, because a harness that repeats the same text after every step is not a user. */
  readonly userTexts: readonly string[];
  /** Number of rounds that had content. */
  readonly rounds: number;
};

/** The assumed duration of a round if there is no clock. */
const roundMs = 30_000;

const userTextsMax = 32;

export function createConversationState(options: GovernOptions): ConversationState {
  return { session: createGovernorSession(options), verdict: null, userTexts: [], rounds: 0 };
}

/** Applies one round. `at` is its time; null if unknown. */
export function applyRound(
  before: ConversationState,
  round: ConversationRound,
  options: GovernOptions,
  at: number | null,
): ConversationState {
  const rounds = before.rounds + 1;
  const after = reduceRound(before, round, options, at ?? rounds * roundMs);
  return after === before ? before : { ...after, rounds };
}

function reduceRound(
  before: ConversationState,
  round: ConversationRound,
  options: GovernOptions,
  at: number,
): ConversationState {
  switch (round.type) {
    case 'person':
      return applyUserRound(before, round.text, options, at);
    case 'reply': {
      const after = applyReplyRound(before, round.steps, options, at);
      return round.feedback === null ? after : applyUserRound(after, round.feedback, options, at);
    }
    case 'nothing':
      return before;
    default:
      return round satisfies never;
  }
}

/**
 * A host cannot run a recovery's calls or wait, so the governor gives the known remedy as advice and blocks the failing
 * call.
 */
const refusingRecoveries = pawlRecoveries.map((recovery) => ({
  ...recovery,
  remedy: { do: 'block' } as const,
}));

const unlimitedBudgets = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

function createGovernorSession({ rules = {}, budgets }: GovernOptions): Session {
  return createSession({
    id: 'conversation',
    at: 0,
    settings: {
      governor: { preset: 'pawl', rules, recoveries: refusingRecoveries },
      // Usage is counted even without limits.
      budgets: { ...unlimitedBudgets, ...budgets },
      mutatingTools: [],
      finishMs: null,
    },
  });
}

/** A user message starts a new turn; only the spent budget carries over. */
function applyUserRound(
  before: ConversationState,
  text: string,
  options: GovernOptions,
  at: number,
): ConversationState {
  const written = removeHostText(text);
  // A message without text may hold an image.
  const isHostText = written === '' && text.trim() !== '';
  const automatic = isHostText || before.userTexts.includes(written);
  const userTexts = automatic ? before.userTexts : [...before.userTexts.slice(1 - userTextsMax), written];
  const { turn } = before.session;
  const isAtWork = turn.status !== 'waitingForUser';
  if (automatic && isAtWork) return before;
  if (turn.status === 'halted' && turn.haltReason.kind === 'budget') return { ...before, userTexts };
  const ready = isTerminalSession(before.session)
    ? { ...createGovernorSession(options), budgetUsage: before.session.budgetUsage }
    : stepWithVerdict(before.session, { type: 'cancel-requested', at }, options).session;
  const { session } = stepWithVerdict(ready, { type: 'user-message', at, text, automatic }, options);
  return { ...before, session, userTexts, verdict: null };
}

/** Applies a reply with the results of its calls. Calls without a result count as cancelled. */
function applyReplyRound(
  before: ConversationState,
  steps: readonly RecordedStep[],
  options: GovernOptions,
  at: number,
): ConversationState {
  if (isTerminalSession(before.session)) return before;
  const calls = steps.filter(({ tool }) => tool !== undefined);
  const asked = dropIgnoredRefusals(ensureModelCall(before.session, options, at), calls);
  let { session, verdict } = stepWithVerdict(asked, createModelReplied(steps, calls, at), options);
  for (const [index, call] of calls.entries()) {
    const next = stepWithVerdict(session, createToolFinished(call, index, options, at), options);
    session = next.session;
    verdict = pickMoreSevere(verdict, next.verdict);
  }
  return { ...before, session, verdict };
}

/**
 * A conversation may begin with a reply or contain consecutive replies; then assume an automatic message in between.
 */
function ensureModelCall(session: Session, options: GovernOptions, at: number): Session {
  if (session.turn.status === 'callingModel') return session;
  const ready = stepWithVerdict(session, { type: 'cancel-requested', at }, options).session;
  return stepWithVerdict(ready, { type: 'user-message', at, text: '', automatic: true }, options).session;
}

/** If the host ran a blocked call anyway, drop the block and count the result like any other. */
function dropIgnoredRefusals(session: Session, calls: readonly RecordedStep[]): Session {
  const { blockedCalls } = session.governor;
  if (blockedCalls.length === 0) return session;
  const made = calls
    .filter(hasCallResult)
    .map((call) => ({ key: fingerprintCall(call), result: getStepResultText(call) }));
  const heeded = blockedCalls.filter(
    ({ call, advice }) => !made.some(({ key, result: said }) => key === call && !said.includes(advice)),
  );
  return { ...session, governor: { ...session.governor, blockedCalls: heeded } };
}

function createModelReplied(
  steps: readonly RecordedStep[],
  calls: readonly RecordedStep[],
  at: number,
): Event {
  return {
    type: 'model-replied',
    at,
    text: steps.flatMap(({ text = '' }) => (text === '' ? [] : [text])).join('\n'),
    calls: calls.map(({ tool = '', args = null }, index) => ({ id: formatCallId(index), tool, args })),
    usage: {
      inputTokens: sumNumbers(steps.map(({ inputTokens = 0 }) => inputTokens)),
      outputTokens: sumNumbers(steps.map(({ tokens = 0 }) => tokens)),
    },
  };
}

function createToolFinished(call: RecordedStep, index: number, options: GovernOptions, at: number): Event {
  const result = getStepResultText(call);
  // The caller's judgment counts where the host marks nothing.
  const isFailure = call.error === undefined ? options.isFailure : undefined;
  const failed = isFailure?.(result) ?? hasCallFailed(call, result);
  const kind = hasCallResult(call) ? 'failed' : 'cancelled';
  return {
    type: 'tool-finished',
    at,
    callId: formatCallId(index),
    outcome:
      failed || kind === 'cancelled'
        ? { ok: false, error: { kind, message: result } }
        : { ok: true, output: call.result ?? null },
    ...(isFailure !== undefined && { judged: true }),
  };
}

function hasCallFailed({ tool = '', args = null, error, exitCode }: RecordedStep, output: string): boolean {
  return readToolResult({ tool, args, output, isError: error, exitCode }).status === 'failed';
}

function stepWithVerdict(
  before: Session,
  event: Event,
  { ownRules }: GovernOptions,
): { readonly session: Session; readonly verdict: Verdict | null } {
  const { session, notes } = step(before, event, ownRules);
  let verdict: Verdict | null = null;
  for (const note of notes) if (note.type === 'verdict') verdict = pickMoreSevere(verdict, note.verdict);
  return { session, verdict };
}

function pickMoreSevere(a: Verdict | null, b: Verdict | null): Verdict | null {
  if (a === null || b === null) return a ?? b;
  return a.response.kind === 'stop' ? a : b;
}

/** Returns a fingerprint that is equal for equal calls, regardless of formatting. */
export function fingerprintCall({
  tool = '',
  args = null,
}: {
  readonly tool?: string;
  readonly args?: Json;
}): string {
  return observeCall({ seq: 0, tool, args, ok: true, output: '' }).call;
}

/** Formats the text that replaces the result of a blocked call. */
export function formatRefusal({ advice }: Pick<BlockedCall, 'advice'>): string {
  return `Not run again: ${advice}`;
}

function hasCallResult({ result, error }: RecordedStep): boolean {
  return result !== undefined || error !== undefined;
}

function getStepResultText({ result = '' }: RecordedStep): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function formatCallId(index: number): string {
  return `call_${index}`;
}

function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
