import type { Event, TokenUsage } from '../event.ts';
import type { Session } from '../session.ts';
import { getAgenda, addTurnVerdict } from '../turn/agenda.ts';
import { isStaleAnswer } from '../turn/stale-answer.ts';
import type { StepChange } from '../step-change.ts';
import type { Verdict } from '@pawl/governor';

/** Budget limits; null for no limit. No approval and no mode lifts them. */
export type BudgetLimits = {
  /** Model requests, including failed ones and the last call. */
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  /** Input and output tokens as reported by the model, including those of summaries. */
  readonly tokens: number | null;
  /** In the currency of the model's prices. */
  readonly cost: number | null;
  /** Measured from the user's last message, without time spent paused or waiting for a permission. */
  readonly wallMs: number | null;
};

/** The budget used so far. */
export type BudgetUsage = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Usage of the latest reply, which estimates the next one. */
  readonly lastTokens: number;
  readonly lastCost: number;
  /** Time of the user's last message, shifted by the time that did not count. */
  readonly workingSince: number;
  /** When the clock stopped; absent while it runs. */
  readonly waitingSince?: number;
};

type BudgetedEvent = Extract<Event, { type: 'model-replied' | 'model-failed' | 'tool-finished' }>;

/**
 * Adds the usage of an event and requests a last answer while the budget still pays for one. Calls beyond the budget
 * are denied before they start.
 */
export function reduceBudget({ session, event, notes }: StepChange, budgets: BudgetLimits): StepChange {
  const { turn } = session;
  if (event.type === 'paging-finished' && turn.status === 'paging' && !isStaleAnswer(turn, event)) {
    return { session: { ...session, spent: addSummaryUsage(session.spent, event.usage) }, event, notes };
  }
  if (!isBudgetedEvent(event) || (turn.status !== 'callingModel' && turn.status !== 'executingTools')) {
    return { session, event, notes };
  }
  const spent = addEventUsage(session.spent, event);
  const within = { ...session, spent };
  const covered = event.type === 'model-replied' ? denyUncoveredCalls(event, spent, budgets) : event;
  const reason = findExhaustedBudget(spent, budgets, event.at);
  const isEnding =
    getAgenda(turn).finish !== null || (turn.status === 'callingModel' && turn.ask.finish !== null);
  if (reason === null || isEnding) return { session: within, event: covered, notes };
  const verdict = createBudgetVerdict(reason, session.seq + 1);
  return {
    session: { ...within, turn: addTurnVerdict(turn, verdict) },
    event: covered,
    notes: [...notes, { type: 'verdict', at: event.at, verdict }],
  };
}

function isBudgetedEvent(event: Event): event is BudgetedEvent {
  return event.type === 'model-replied' || event.type === 'model-failed' || event.type === 'tool-finished';
}

function addEventUsage(spent: BudgetUsage, event: BudgetedEvent): BudgetUsage {
  if (event.type === 'tool-finished') return { ...spent, toolCalls: spent.toolCalls + 1 };
  const usage = event.type === 'model-replied' ? event.usage : undefined;
  const modelCalls = spent.modelCalls + 1;
  if (usage === undefined) return { ...spent, modelCalls };
  const lastTokens = usage.inputTokens + usage.outputTokens;
  const lastCost = usage.cost ?? 0;
  const tokens = spent.tokens + lastTokens;
  return { ...spent, modelCalls, tokens, cost: spent.cost + lastCost, lastTokens, lastCost };
}

/** A summary is not a model call of the turn, but its usage counts. */
function addSummaryUsage(spent: BudgetUsage, usage: TokenUsage | undefined): BudgetUsage {
  if (usage === undefined) return spent;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  return { ...spent, tokens: spent.tokens + inputTokens + outputTokens, cost: spent.cost + cost };
}

/**
 * Returns which budget makes the next model call the last one, or null. The budget reserves a last answer: an ordinary
 * call is made only if the rest would still pay for another one.
 */
function findExhaustedBudget(spent: BudgetUsage, budgets: BudgetLimits, at: number): string | null {
  const { modelCalls, toolCalls, tokens, cost, wallMs } = budgets;
  if (modelCalls !== null && spent.modelCalls + 1 >= modelCalls) return `${modelCalls} model calls`;
  if (toolCalls !== null && spent.toolCalls >= toolCalls) return `${toolCalls} tool calls`;
  if (tokens !== null && spent.tokens + 2 * spent.lastTokens > tokens) return `${tokens} tokens`;
  if (cost !== null && spent.cost + 2 * spent.lastCost > cost) return `${cost} in money`;
  if (wallMs !== null && at - spent.workingSince >= wallMs) return `${wallMs / 1_000} s`;
  return null;
}

/** Returns the verdict that makes the next model call the last one, or null if the budget pays for two calls. */
export function findLastCallVerdict({ spent, settings: { budgets } }: Session, at: number): Verdict | null {
  if (budgets === null) return null;
  // The model can still answer when no tool calls are left.
  const reason = findExhaustedBudget(spent, { ...budgets, toolCalls: null }, at);
  return reason === null ? null : createBudgetVerdict(reason, spent.modelCalls);
}

/** Whether the budget allows no further model call. */
export function isBudgetExhausted({ spent, settings: { budgets } }: Session): boolean {
  return budgets !== null && budgets.modelCalls !== null && spent.modelCalls >= budgets.modelCalls;
}

/** Denies the calls beyond the remaining tool-call budget. */
function denyUncoveredCalls(
  event: Extract<Event, { type: 'model-replied' }>,
  spent: BudgetUsage,
  { toolCalls }: BudgetLimits,
): Extract<Event, { type: 'model-replied' }> {
  if (toolCalls === null || event.calls.length <= toolCalls - spent.toolCalls) return event;
  const because = `Not run: the budget of ${toolCalls} tool calls is used up.`;
  const calls = event.calls.map((call, index) =>
    index < toolCalls - spent.toolCalls ? call : { ...call, permission: 'deny' as const, because },
  );
  return { ...event, calls };
}

function createBudgetVerdict(reason: string, seq: number): Verdict {
  return {
    level: 'stuck',
    rule: 'budget',
    reason: `the budget of ${reason} is used up`,
    advice: `The budget of ${reason} is used up. Answer now with what you have, and say what is left to do.`,
    evidence: [seq],
    response: { kind: 'finish' },
  };
}
