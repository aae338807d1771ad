import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  step,
  type Action,
  type BudgetLimits,
  type Event,
  type Session,
  type SessionStep,
} from '../../src/index.ts';

const noLimits: BudgetLimits = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };
const governorDisabled = { preset: 'none', rules: {} } as const;
const usage = { inputTokens: 90, outputTokens: 10, cost: 100 };
const outcome = { ok: true, output: 'text' } as const;

/** A model that wants to read file after file, for ever. */
function runUntilFinished(
  budgets: BudgetLimits,
  callsEach = 1,
): { steps: readonly SessionStep[]; session: Session } {
  let session = createSession({ id: 's', at: 0, settings: { budgets, governor: governorDisabled } });
  const steps: SessionStep[] = [];
  const take = (event: object): readonly Action[] => {
    const result = step(session, { ...event, at: steps.length * 1_000 } as Event);
    steps.push(result);
    session = result.session;
    return result.actions;
  };
  const calls = Array.from({ length: callsEach }, () => ({ tool: 'read', args: {} }));
  let actions = take({ type: 'user-message', text: 'go' });
  while (session.turn.status !== 'halted' && steps.length < 200) {
    const ask = actions.find((action) => action.type === 'ask-model');
    const run = actions.find((action) => action.type === 'run-tools');
    if (ask?.tools === false) actions = take({ type: 'model-replied', text: 'That is all.', calls: [] });
    else if (ask !== undefined) actions = take({ type: 'model-replied', text: '', usage, calls });
    else
      for (const { id } of run?.calls ?? []) actions = take({ type: 'tool-finished', callId: id, outcome });
  }
  return { steps, session };
}

function countActions(steps: readonly SessionStep[], type: Action['type']): number {
  return steps.flatMap(({ actions }) => actions).filter((action) => action.type === type).length;
}

describe('a budget', () => {
  it('of model calls includes the last call without tools', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), (modelCalls) => {
        const { steps, session } = runUntilFinished({ ...noLimits, modelCalls });
        expect(countActions(steps, 'ask-model')).toBe(modelCalls);
        expect(session.turn).toMatchObject({
          status: 'halted',
          haltReason: { kind: 'budget', rule: 'budget' },
        });
      }),
    );
  });

  it('of tokens and cost includes summaries, which are not steps', () => {
    const budgets = { ...noLimits, modelCalls: 9, tokens: 1_000, cost: 1_000 };
    let session = createSession({ id: 's', at: 0, settings: { budgets, governor: governorDisabled } });
    const take = (event: object): Session => (session = step(session, { ...event, at: 1 } as Event).session);
    take({ type: 'user-message', text: 'go' });
    take({ type: 'model-failed', error: { kind: 'context-overflow', message: 'x' } });
    const { budgetUsage } = session;
    take({ type: 'paging-finished', request: 77, freedTokens: 1, usage });
    expect(session.budgetUsage).toEqual(budgetUsage);
    take({ type: 'paging-finished', freedTokens: 1, usage: { inputTokens: 900, outputTokens: 99, cost: 5 } });
    expect(session.budgetUsage).toEqual({ ...budgetUsage, tokens: 999, cost: 5 });
  });

  it('of model calls holds across failures and turns', () => {
    const eventKind = fc.constantFrom('reply', 'call', 'fail', 'overflow', 'finish');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(eventKind, { maxLength: 30 }),
        (modelCalls, script) => {
          let session = createSession({
            id: 's',
            at: 0,
            settings: { budgets: { ...noLimits, modelCalls }, governor: governorDisabled },
          });
          let asks = 0;
          const take = (event: object): void => {
            const result = step(session, { ...event, at: asks } as Event);
            session = result.session;
            asks += countActions([result], 'ask-model');
          };
          const answers: Record<string, object> = {
            reply: { type: 'model-replied', text: 'so', calls: [] },
            call: { type: 'model-replied', text: '', calls: [{ id: 'a', tool: 'read', args: {} }] },
            fail: { type: 'model-failed', error: { kind: 'network', message: 'x' } },
            overflow: { type: 'model-failed', error: { kind: 'context-overflow', message: 'x' } },
            finish: { type: 'model-replied', text: 'so', calls: [] },
          };
          for (const each of script) {
            // A message after the stop grants the budget again.
            if (session.turn.status === 'halted') break;
            take({ type: 'user-message', text: 'go' });
            if (each === 'finish') take({ type: 'finish-requested', reason: 'enough' });
            take({ type: 'retry-due' });
            take({ type: 'paging-finished', freedTokens: 1 });
            take(answers[each] ?? {});
            take({ type: 'tool-finished', callId: 'a', outcome });
          }
          expect(asks).toBeLessThanOrEqual(modelCalls);
        },
      ),
    );
  });

  it('of tool calls is never exceeded by parallel calls', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5 }), (toolCalls, each) => {
        const { steps } = runUntilFinished({ ...noLimits, toolCalls }, each);
        const run = steps.flatMap(({ actions }) =>
          actions.flatMap((action) => (action.type === 'run-tools' ? action.calls : [])),
        );
        expect(run).toHaveLength(toolCalls);
      }),
    );
  });

  it('of tokens or cost reserves enough for a last answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 2_000 }), fc.constantFrom('tokens', 'cost'), (limit, what) => {
        const { session, steps } = runUntilFinished({ ...noLimits, [what]: limit });
        expect(session.budgetUsage[what] + 100).toBeLessThanOrEqual(limit);
        expect(countActions(steps, 'ask-model')).toBe(Math.floor(limit / 100));
        expect(session.turn).toMatchObject({ status: 'halted', haltReason: { kind: 'budget' } });
      }),
    );
  });

  it('of time counts from the last user message', () => {
    const { session } = runUntilFinished({ ...noLimits, wallMs: 5_000 });
    expect(session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'budget', reason: 'the budget of 5 s is used up' },
    });
  });

  it('that is not set has no effect', () => {
    const session = createSession({ id: 's', at: 0 });
    const { session: after } = step(session, { type: 'user-message', at: 9, text: 'x' });
    expect(after.budgetUsage).toBe(session.budgetUsage);
  });
});
