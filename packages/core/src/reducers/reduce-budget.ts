import type { Event, TokenUsage } from '../session/event.ts';
import { logPatches, hasLogPatch } from '../session/log-version.ts';
import type { Session, BudgetUsage } from '../session/session.ts';
import type { StepChange } from '../session/session-step.ts';
import { getAgenda } from '../turn/agenda.ts';
import { isStaleAnswer } from '../turn/refuse-event.ts';
import type { TurnState } from '../session/turn-state.ts';
import { addTurnVerdict } from '../turn/apply-verdict.ts';
import { createBudgetVerdict, findExhaustedBudget } from '../session/budget.ts';
import type { BudgetLimits } from '../session/settings.ts';

type BudgetedEvent = Extract<Event, { type: 'model-replied' | 'model-failed' | 'tool-finished' }>;

/**
 * Adds the usage of an event and requests a last answer while the budget still pays for one. Calls beyond the budget
 * are denied before they start.
 */
export function reduceBudget({ session, event, notes }: StepChange, budgets: BudgetLimits): StepChange {
  const { turn } = session;
  if (event.type === 'paging-finished' && turn.status === 'paging' && !isStaleAnswer(turn, event)) {
    return {
      session: { ...session, budgetUsage: addSummaryUsage(session.budgetUsage, event.usage) },
      event,
      notes,
    };
  }
  if (!isBudgetedEvent(event) || (turn.status !== 'callingModel' && turn.status !== 'executingTools')) {
    return { session, event, notes };
  }
  const spent = addEventUsage(session.budgetUsage, event);
  const within = { ...session, budgetUsage: spent };
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

/** Denies the calls beyond the remaining tool-call budget. */
function denyUncoveredCalls(
  event: Extract<Event, { type: 'model-replied' }>,
  spent: BudgetUsage,
  { toolCalls }: BudgetLimits,
): Extract<Event, { type: 'model-replied' }> {
  if (toolCalls === null || event.calls.length <= toolCalls - spent.toolCalls) return event;
  const denialReason = `Not run: the budget of ${toolCalls} tool calls is used up.`;
  const calls = event.calls.map((call, index) =>
    index < toolCalls - spent.toolCalls ? call : { ...call, permission: 'deny' as const, denialReason },
  );
  return { ...event, calls };
}

/*
 * The clock of the time budget. It stops while the session is paused or waits for a permission, because a person's
 * absence must not use up the agent's time.
 */

export function resumeBudgetClock(session: Session, at: number): Session {
  const { waitingSince, ...spent } = session.budgetUsage;
  if (waitingSince === undefined) return session;
  const waitedMs = at > waitingSince ? at - waitingSince : 0;
  return { ...session, budgetUsage: { ...spent, workingSince: spent.workingSince + waitedMs } };
}

export function stopBudgetClock(session: Session, at: number): Session {
  if (!isClockStopped(session.turn) || !hasLogPatch(session, logPatches.countsAreFair)) return session;
  return { ...session, budgetUsage: { ...session.budgetUsage, waitingSince: at } };
}

function isClockStopped({ status }: TurnState): boolean {
  return status === 'awaitingPermission' || status === 'paused';
}
