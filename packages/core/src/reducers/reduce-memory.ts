import type {
  Event,
  ModelReplied,
  PagingFinished,
  PermissionDecided,
  ToolFinished,
} from '../session/event.ts';
import { hasLogPatch, logPatches } from '../session/log-version.ts';
import type { StepChange } from '../session/session-step.ts';
import { formatToolOutput, type Json } from '@pawl/governor';
import type { Session } from '../session/session.ts';
import { isStaleAnswer } from '../turn/refuse-event.ts';
import type { AwaitingPermission, ExecutingTools, TurnState } from '../session/turn-state.ts';
import { addTextTokens, calibrateEstimator, type ContextWindow } from '../memory/estimate-tokens.ts';
import { memoryActionTypes } from '../memory/memory-action.ts';
import { writeLog } from '../memory/logs.ts';
import type { WorkingMemory, MemoryEffect } from '../memory/memory.ts';
import { pageEntries } from '../memory/page-entries.ts';
import { applyStorageResult, applyMemoryAction } from '../memory/apply-memory-action.ts';

/**
 * Updates working memory for an event, before the turn reducer runs. The caller has already performed the storage
 * operations.
 */
export function reduceMemory({ session, event, notes }: StepChange, memory: WorkingMemory): StepChange {
  const { turn } = session;
  const unchanged = { session, event, notes };
  switch (event.type) {
    case 'model-replied':
      return turn.status === 'callingModel' && !isStaleAnswer(turn, event)
        ? { session: setSessionMemory(session, logReply(session, memory, event)), event, notes }
        : unchanged;
    case 'permission-decided':
      return turn.status === 'awaitingPermission'
        ? logDeniedPermission(unchanged, memory, { turn, event })
        : unchanged;
    case 'tool-finished':
      return turn.status === 'executingTools' && !isStaleAnswer(turn, event)
        ? applyMemoryCall(unchanged, memory, { turn, event })
        : unchanged;
    case 'paging-finished':
      return turn.status === 'paging' && !isStaleAnswer(turn, event)
        ? applyPagingResult(unchanged, memory, event)
        : unchanged;
    default:
      return unchanged;
  }
}

/** Converts a tool call to a memory action. Models that write XML give the search words as `value`. */
export function toMemoryAction(tool: string, args: Json): { readonly [name: string]: Json } {
  const fields: { readonly [name: string]: Json } =
    typeof args === 'object' && args !== null && !Array.isArray(args)
      ? (args as { readonly [name: string]: Json })
      : {};
  const getField = (name: string): Json => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null);
  const value = getField('value') ?? getField('query');
  return { type: tool, tags: getField('tags'), ...(value !== null && { value }) };
}

/** Logs the thoughts of a reply, and in the command log a reply whose action could not be read. */
function logReply(
  session: Session,
  memory: WorkingMemory,
  { logs, problem, at }: ModelReplied,
): WorkingMemory {
  const logsEveryAttempt = hasLogPatch(session, logPatches.seedsInSessions);
  const clip = (text: string): string => (logsEveryAttempt ? clipThought(text) : text);
  let after = memory;
  if (logs?.think !== undefined) after = writeLog(after, 'think', clip(logs.think), at);
  if (logs?.evaluation !== undefined) after = writeLog(after, 'evaluation', clip(logs.evaluation), at);
  return problem !== undefined && logsEveryAttempt
    ? writeLog(after, 'command', formatFailedCommand('unreadable reply', problem), at)
    : after;
}

/** Clips a thought for the log; the conversation keeps the whole text. */
function clipThought(text: string): string {
  const { length } = text;
  return length <= loggedThoughtMax
    ? text
    : `${text.slice(0, loggedThoughtMax)}… (${length - loggedThoughtMax} more characters)`;
}

/** Ten entries of this length take about half of the default hard limit. */
const loggedThoughtMax = 2_000;

/**
 * Logs the calls of a reply that were denied, which never run. Called after every reducer that may deny a call, because
 * the command log lists every attempt.
 */
export function logDeniedCalls(change: StepChange, memory: WorkingMemory): StepChange {
  const { session, event } = change;
  const { turn } = session;
  if (event.type !== 'model-replied' || turn.status !== 'callingModel' || isStaleAnswer(turn, event))
    return change;
  if (turn.ask.finish !== null || !hasLogPatch(session, logPatches.seedsInSessions)) return change;
  const after = event.calls.reduce(
    (logged, { tool, permission, denialReason = 'denied' }) =>
      permission === 'deny'
        ? writeLog(logged, 'command', formatFailedCommand(tool, denialReason), event.at)
        : logged,
    memory,
  );
  return { ...change, session: setSessionMemory(session, after) };
}

function logDeniedPermission(
  { session, event, notes }: StepChange,
  memory: WorkingMemory,
  { turn, event: decided }: { readonly turn: AwaitingPermission; readonly event: PermissionDecided },
): StepChange {
  const { callId, decision, reason = 'denied', at } = decided;
  const isDenial = decision === 'deny' && !isStaleAnswer(turn, decided);
  const denied = turn.calls.find((each) => each.call.id === callId && each.decision === 'pending')?.call;
  if (!isDenial || denied === undefined || !hasLogPatch(session, logPatches.seedsInSessions))
    return { session, event, notes };
  const line = formatFailedCommand(denied.tool, reason);
  return { session: setSessionMemory(session, writeLog(memory, 'command', line, at)), event, notes };
}

function formatFailedCommand(command: string, reason: string): string {
  return `${command}: failed: ${reason.slice(0, loggedErrorMax)}`;
}

/** Only attempted calls change memory; a call that was denied or never started changes nothing. */
function applyMemoryCall(
  { session, event, notes }: StepChange,
  memory: WorkingMemory,
  { turn, event: finished }: { readonly turn: ExecutingTools; readonly event: ToolFinished },
): StepChange {
  const { callId, outcome, foundEntries = [], at } = finished;
  const execution = turn.executions.find(({ call }) => call.id === callId);
  const wasAttempted = outcome.ok || outcome.error.kind === 'invalid' || outcome.error.kind === 'failed';
  if (execution === undefined || execution.status === 'completed') return { session, event, notes };
  const { tool, args } = execution.call;
  if (!wasAttempted) {
    const { kind, message } = outcome.error;
    const hasRun = kind === 'timeout' || kind === 'interrupted';
    if (!hasRun || !hasLogPatch(session, logPatches.seedsInSessions)) return { session, event, notes };
    const logged = writeLog(memory, 'command', formatFailedCommand(tool, message), at);
    return { session: setSessionMemory(session, logged), event, notes };
  }
  if (!memoryActionTypes.some((type) => type === tool)) {
    const line = outcome.ok ? `${tool}: done` : formatFailedCommand(tool, outcome.error.message);
    return { session: setSessionMemory(session, writeLog(memory, 'command', line, at)), event, notes };
  }
  const result = applyStorageResult(
    applyMemoryAction(memory, toMemoryAction(tool, args), at),
    foundEntries,
    at,
  );
  return {
    session: setSessionMemory(session, result.memory),
    event,
    notes,
    ...createStoreActions(result.effects),
  };
}

/** Maximum length of an error in the command log. */
const loggedErrorMax = 200;

/**
 * The caller stored what it expected to leave working memory when it ran the call; these actions store what actually
 * left.
 */
function createStoreActions(effects: readonly MemoryEffect[]): Pick<StepChange, 'actions'> {
  const entries = effects.flatMap((effect) => (effect.kind === 'storage-save' ? [effect.entry] : []));
  return entries.length === 0 ? {} : { actions: [{ type: 'store', entries }] };
}

function applyPagingResult(
  { session, event, notes }: StepChange,
  memory: WorkingMemory,
  { at, summaries }: PagingFinished,
): StepChange {
  const options = { limit: getPagingLimit(memory), at };
  const summary = summaries?.memory;
  const {
    memory: after,
    moved,
    freed,
    effects,
  } = pageEntries(memory, summary === undefined ? options : { ...options, summary });
  if (moved.length === 0) return { session, event, notes };
  const note = { type: 'paged', at: event.at, moved, freedTokens: freed } as const;
  return {
    session: setSessionMemory(session, after),
    event,
    notes: [...notes, note],
    ...createStoreActions(effects),
  };
}

/** Returns the number of tokens at which paging starts. */
export function getPagingLimit({ settings: { pagingLimit, hardLimit } }: WorkingMemory): number {
  if (pagingLimit.enable) return pagingLimit.maxTokens;
  return hardLimit.enable ? hardLimit.maxTokens : Infinity;
}

function setSessionMemory(session: Session, memory: WorkingMemory): Session {
  return memory === session.memory ? session : { ...session, memory };
}

/** Counts the tokens in the model's context window, of events that the turn waits for. */
export function updateContextWindow(window: ContextWindow, turn: TurnState, event: Event): ContextWindow {
  switch (event.type) {
    case 'user-message':
      return turn.status === 'waitingForUser' || turn.status === 'halted'
        ? addTextTokens(window, event.text)
        : window;
    case 'tool-finished': {
      if (turn.status !== 'executingTools') return window;
      const { outcome } = event;
      return addTextTokens(window, outcome.ok ? formatToolOutput(outcome.output) : outcome.error.message);
    }
    case 'model-replied':
      return turn.status === 'callingModel' ? addReplyTokens(window, event) : window;
    case 'paging-finished': {
      if (turn.status !== 'paging') return window;
      const tokens = Math.max(0, window.tokens - event.freedTokens);
      return { ...window, tokens, leftByPaging: tokens };
    }
    default:
      return window;
  }
}

function addReplyTokens(window: ContextWindow, { text, calls, usage }: ModelReplied): ContextWindow {
  if (usage === undefined) {
    return addTextTokens(
      window,
      `${text}${calls.map(({ tool, args }) => tool + formatToolOutput(args)).join('')}`,
    );
  }
  const { inputTokens, outputTokens } = usage;
  const estimator = calibrateEstimator(window.estimator, window.tokens, inputTokens);
  return { ...window, tokens: inputTokens + outputTokens, estimator };
}
