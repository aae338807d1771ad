import type { Action, ToolCall, Event, Note, RequestedCall, Verdict } from '@pawl/core';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { createIncrementalFold } from '../timeline/incremental-fold.ts';

/** A decision that can be explained, and the event at which it was made. */
export type DecisionRecord = { readonly seq: number; readonly at: number } & (
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  /** A call that was not run because a rule, a mode, a budget or a user denied it. */
  | { readonly kind: 'denied'; readonly tool: string; readonly callIndex: number }
  /** A user allowed or denied a call. */
  | {
      readonly kind: 'permission';
      readonly callId: string;
      readonly isAllowed: boolean;
      readonly reason: string | null;
    }
  /** The model failed: it is retried at `until`, or not at all if null. */
  | {
      readonly kind: 'retry';
      readonly error: string;
      readonly attempt: number;
      readonly until: number | null;
    }
  /** The model is asked for its final answer, without tools. */
  | { readonly kind: 'last answer' }
  | { readonly kind: 'stop'; readonly reason: string; readonly rule: string | null }
);

/** All decisions of a session so far, in order. */
export class DecisionHistory {
  readonly all: DecisionRecord[] = [];
  readonly verdicts: Extract<DecisionRecord, { readonly kind: 'verdict' }>[] = [];
  #attempt = 1;
  #offersTools = true;

  add({ seq, event, actions, notes, status }: ReplayedEntry): void {
    if (notes.some(({ type }) => type === 'refused')) return;
    const { at } = event;
    for (const verdict of listEventVerdicts(event, notes)) {
      const decision = { seq, at, kind: 'verdict', verdict } as const;
      this.all.push(decision);
      this.verdicts.push(decision);
    }
    this.#addEvent(seq, event, actions, status === 'errorRecovery' || status === 'paging');
    for (const action of actions) this.#addAction(seq, at, action);
  }

  #addEvent(seq: number, event: Event, actions: readonly Action[], isRetried: boolean): void {
    const { at } = event;
    switch (event.type) {
      case 'permission-decided': {
        const { callId, decision, reason = null } = event;
        this.all.push({ seq, at, kind: 'permission', callId, isAllowed: decision === 'allow', reason });
        return;
      }
      case 'model-failed': {
        const wait = actions.find((action) => action.type === 'wait');
        const until = isRetried ? (wait?.until ?? at) : null;
        const error = `${event.error.kind}: ${event.error.message}`;
        this.all.push({ seq, at, kind: 'retry', error, attempt: this.#attempt, until });
        return;
      }
      case 'model-replied':
        if (!this.#offersTools || event.problem !== undefined) return;
        for (const { tool, callIndex } of listCallsNotRun(event.calls, actions)) {
          this.all.push({ seq, at, kind: 'denied', tool, callIndex });
        }
        return;
      default:
    }
  }

  #addAction(seq: number, at: number, action: Action): void {
    if (action.type === 'stop') {
      const { reason, rule } = action.haltReason;
      this.all.push({ seq, at, kind: 'stop', reason, rule });
    }
    if (action.type !== 'ask-model') return;
    this.#attempt = action.attempt;
    this.#offersTools = action.tools;
    if (!action.tools && action.attempt === 1) this.all.push({ seq, at, kind: 'last answer' });
  }
}

export const getDecisionHistory: (timeline: ReplayedTimeline) => DecisionHistory = createIncrementalFold(
  () => new DecisionHistory(),
);

/** Returns the verdicts of an event: those of the governor, or the external verdict that it carries. */
function listEventVerdicts(event: Event, notes: readonly Note[]): readonly Verdict[] {
  const noteVerdicts = notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' && noteVerdicts.length === 0 ? [event.verdict] : noteVerdicts;
}

/** Lists the calls of a reply that were neither started nor submitted for approval. */
function listCallsNotRun(
  calls: readonly RequestedCall[],
  actions: readonly Action[],
): readonly { readonly tool: string; readonly callIndex: number }[] {
  const startedCalls: ToolCall[] = actions.flatMap((action) =>
    action.type === 'run-tools' || action.type === 'ask-permission' ? action.calls : [],
  );
  if (startedCalls.length >= calls.length) return [];
  return calls.flatMap(({ id, tool, args }, callIndex) => {
    const matchIndex = startedCalls.findIndex(
      (call) => call.tool === tool && (id === undefined || call.id === id) && isSameValue(call.args, args),
    );
    if (matchIndex === -1) return [{ tool, callIndex: callIndex }];
    startedCalls.splice(matchIndex, 1);
    return [];
  });
}

function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
