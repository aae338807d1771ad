import type { Event, Usage } from '../event.ts';
import type { Session } from '../session.ts';
import { agendaOf, turnWithVerdict } from '../turn/agenda.ts';
import { isStale } from '../turn/stale.ts';
import type { Governed } from './governed.ts';
import type { Verdict } from './verdict.ts';

/** What a session may use up; null for no limit. No approval and no mode lifts them. */
export type Budgets = {
  /** Requests to the model, failed ones and the last one that ends the work included. */
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  /** Read and written, as the model reports them; those of summaries as well. */
  readonly tokens: number | null;
  /** In the money that the model's prices are in. */
  readonly cost: number | null;
  /** From the user's last message on. Time spent waiting for a permission, or paused, does not count. */
  readonly wallMs: number | null;
};

/** What has been used up so far. */
export type Spent = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly cost: number;
  /** What the latest reply took: the next is expected to take as much. */
  readonly lastTokens: number;
  readonly lastCost: number;
  /** The user's last message, moved on by the time that did not count. */
  readonly workingSince: number;
  /** Since when the clock stands still; absent while it runs. */
  readonly waitingSince?: number;
};

type Counted = Extract<Event, { type: 'model-replied' | 'model-failed' | 'tool-finished' }>;

/**
 * Counts what an event has cost, and while there is still something left for it, has the work brought to an end with an
 * answer. Calls that the budget does not cover are denied before they start.
 */
export function budget({ session, event, notes }: Governed, budgets: Budgets): Governed {
  const { turn } = session;
  if (event.type === 'paging-finished' && turn.status === 'paging' && !isStale(turn, event)) {
    return { session: { ...session, spent: paidFor(session.spent, event.usage) }, event, notes };
  }
  if (!isCounted(event) || (turn.status !== 'callingModel' && turn.status !== 'executingTools')) {
    return { session, event, notes };
  }
  const spent = spend(session.spent, event);
  const within = { ...session, spent };
  const covered = event.type === 'model-replied' ? cover(event, spent, budgets) : event;
  const reason = usedUp(spent, budgets, event.at);
  const isEnding =
    agendaOf(turn).finish !== null || (turn.status === 'callingModel' && turn.ask.finish !== null);
  if (reason === null || isEnding) return { session: within, event: covered, notes };
  const verdict = verdictOn(reason, session.seq + 1);
  return {
    session: { ...within, turn: turnWithVerdict(turn, verdict) },
    event: covered,
    notes: [...notes, { type: 'verdict', at: event.at, verdict }],
  };
}

function isCounted(event: Event): event is Counted {
  return event.type === 'model-replied' || event.type === 'model-failed' || event.type === 'tool-finished';
}

function spend(spent: Spent, event: Counted): Spent {
  if (event.type === 'tool-finished') return { ...spent, toolCalls: spent.toolCalls + 1 };
  const usage = event.type === 'model-replied' ? event.usage : undefined;
  const modelCalls = spent.modelCalls + 1;
  if (usage === undefined) return { ...spent, modelCalls };
  const lastTokens = usage.inputTokens + usage.outputTokens;
  const lastCost = usage.cost ?? 0;
  const tokens = spent.tokens + lastTokens;
  return { ...spent, modelCalls, tokens, cost: spent.cost + lastCost, lastTokens, lastCost };
}

/** A summary is no step of the work, but it is paid for. */
function paidFor(spent: Spent, usage: Usage | undefined): Spent {
  if (usage === undefined) return spent;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  return { ...spent, tokens: spent.tokens + inputTokens + outputTokens, cost: spent.cost + cost };
}

/**
 * Why the next model call must be the last, or null. Room for a last answer is kept back: an ordinary call is made only if
 * what is left would then still pay for another.
 */
function usedUp(spent: Spent, budgets: Budgets, at: number): string | null {
  const { modelCalls, toolCalls, tokens, cost, wallMs } = budgets;
  if (modelCalls !== null && spent.modelCalls + 1 >= modelCalls) return `${modelCalls} model calls`;
  if (toolCalls !== null && spent.toolCalls >= toolCalls) return `${toolCalls} tool calls`;
  if (tokens !== null && spent.tokens + 2 * spent.lastTokens > tokens) return `${tokens} tokens`;
  if (cost !== null && spent.cost + 2 * spent.lastCost > cost) return `${cost} in money`;
  if (wallMs !== null && at - spent.workingSince >= wallMs) return `${wallMs / 1_000} s`;
  return null;
}

/** Why a model that is asked now must be asked for its last answer, or null: what is left does not pay for two. */
export function lastAskDue({ spent, settings: { budgets } }: Session, at: number): Verdict | null {
  if (budgets === null) return null;
  // Without calls left a model can still answer, as often as the rest allows.
  const reason = usedUp(spent, { ...budgets, toolCalls: null }, at);
  return reason === null ? null : verdictOn(reason, spent.modelCalls);
}

/** Whether the model cannot be asked even once more. */
export function isSpent({ spent, settings: { budgets } }: Session): boolean {
  return budgets !== null && budgets.modelCalls !== null && spent.modelCalls >= budgets.modelCalls;
}

/** Lets as many calls through as the budget still covers. */
function cover(
  event: Extract<Event, { type: 'model-replied' }>,
  spent: Spent,
  { toolCalls }: Budgets,
): Extract<Event, { type: 'model-replied' }> {
  if (toolCalls === null || event.calls.length <= toolCalls - spent.toolCalls) return event;
  const because = `Not run: the budget of ${toolCalls} tool calls is used up.`;
  const calls = event.calls.map((call, index) =>
    index < toolCalls - spent.toolCalls ? call : { ...call, permission: 'deny' as const, because },
  );
  return { ...event, calls };
}

function verdictOn(reason: string, seq: number): Verdict {
  return {
    level: 'stuck',
    rule: 'budget',
    reason: `the budget of ${reason} is used up`,
    advice: `The budget of ${reason} is used up. Answer now with what you have, and say what is left to do.`,
    evidence: [seq],
    response: { kind: 'finish' },
  };
}
