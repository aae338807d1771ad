import type { ModelReplied, PagingFinished, ToolFinished } from '../event.ts';
import type { Governed } from '../governor/governed.ts';
import type { Json } from '../json.ts';
import type { Session } from '../session.ts';
import { isStale } from '../turn/stale.ts';
import type { ExecutingTools } from '../turn/state.ts';
import { memoryActionTypes } from './action.ts';
import { log } from './logs.ts';
import type { Memory } from './memory.ts';
import { page } from './page.ts';
import { answer, remember } from './remember.ts';
import type { MemoryEffect } from './storage-entry.ts';

/** Takes the memory along with an event, before the turn takes it. What storage must do, the caller has done by then. */
export function memorise({ session, event, notes }: Governed, memory: Memory): Governed {
  const { turn } = session;
  const unchanged = { session, event, notes };
  switch (event.type) {
    case 'model-replied':
      return turn.status === 'callingModel' && !isStale(turn, event)
        ? { session: withMemory(session, logged(memory, event)), event, notes }
        : unchanged;
    case 'tool-finished':
      return turn.status === 'executingTools' && !isStale(turn, event)
        ? acted(unchanged, memory, { turn, event })
        : unchanged;
    case 'paging-finished':
      return turn.status === 'paging' && !isStale(turn, event) ? paged(unchanged, memory, event) : unchanged;
    default:
      return unchanged;
  }
}

/** An action on memory as the call that asks for it says. Models that write XML give words to look for as `value`. */
export function memoryActionOf(tool: string, args: Json): { readonly [name: string]: Json } {
  const given: { readonly [name: string]: Json } =
    typeof args === 'object' && args !== null && !Array.isArray(args)
      ? (args as { readonly [name: string]: Json })
      : {};
  const own = (name: string): Json => (Object.hasOwn(given, name) ? (given[name] ?? null) : null);
  const value = own('value') ?? own('query');
  return { type: tool, tags: own('tags'), ...(value !== null && { value }) };
}

function logged(memory: Memory, { logs, at }: ModelReplied): Memory {
  let after = memory;
  if (logs?.think !== undefined) after = log(after, 'think', logs.think, at);
  if (logs?.evaluation !== undefined) after = log(after, 'evaluation', logs.evaluation, at);
  return after;
}

/** Only what was tried changes anything: a call that was denied or never started is no attempt. */
function acted(
  { session, event, notes }: Governed,
  memory: Memory,
  { turn, event: finished }: { readonly turn: ExecutingTools; readonly event: ToolFinished },
): Governed {
  const { callId, outcome, found = [], at } = finished;
  const execution = turn.executions.find(({ call }) => call.id === callId);
  const isTried = outcome.ok || outcome.error.kind === 'invalid' || outcome.error.kind === 'failed';
  if (execution === undefined || execution.status === 'completed' || !isTried)
    return { session, event, notes };
  const { tool, args } = execution.call;
  if (!memoryActionTypes.some((type) => type === tool)) {
    const line = outcome.ok
      ? `${tool}: done`
      : `${tool}: failed: ${outcome.error.message.slice(0, messageMax)}`;
    return { session: withMemory(session, log(memory, 'command', line, at)), event, notes };
  }
  const result = answer(remember(memory, memoryActionOf(tool, args), at), found, at);
  return { session: withMemory(session, result.memory), event, notes, ...storing(result.effects) };
}

/** How much of an error goes on the log of commands. */
const messageMax = 200;

/** What leaves working memory is in storage already, as whoever carried out the call saw it; this is what really left. */
function storing(effects: readonly MemoryEffect[]): Pick<Governed, 'actions'> {
  const entries = effects.flatMap((effect) => (effect.kind === 'storage-save' ? [effect.entry] : []));
  return entries.length === 0 ? {} : { actions: [{ type: 'store', entries }] };
}

function paged(
  { session, event, notes }: Governed,
  memory: Memory,
  { at, summaries }: PagingFinished,
): Governed {
  const options = { limit: pagingLimitOf(memory), at };
  const words = summaries?.memory;
  const {
    memory: after,
    moved,
    freed,
    effects,
  } = page(memory, words === undefined ? options : { ...options, words });
  if (moved.length === 0) return { session, event, notes };
  const note = { type: 'paged', at: event.at, moved, freedTokens: freed } as const;
  return { session: withMemory(session, after), event, notes: [...notes, note], ...storing(effects) };
}

/** From how many tokens on room is made. */
export function pagingLimitOf({ settings: { pagingLimit, hardLimit } }: Memory): number {
  if (pagingLimit.enable) return pagingLimit.maxTokens;
  return hardLimit.enable ? hardLimit.maxTokens : Infinity;
}

function withMemory(session: Session, memory: Memory): Session {
  return memory === session.memory ? session : { ...session, memory };
}
