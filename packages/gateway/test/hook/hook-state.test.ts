import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  recordHookCall,
  judgeHookCall,
  initialHookState,
  governorNotePrefix,
  type HookState,
} from '../../src/hook/hook-state.ts';

const call = { tool: 'Bash', args: { command: 'npm test' } };
const failure = { ok: false, output: 'Exit code 1: boom' };

function failRepeatedly(times: number): HookState {
  let state = initialHookState;
  for (let at = 0; at < times; at += 1) state = recordHookCall(state, call, failure, at).state;
  return state;
}

const mainAgent = { callsMax: null, isSubAgent: false } as const;

describe('the state of a hook', () => {
  it('advises on the second identical failure and blocks the call from the third on', () => {
    expect(recordHookCall(failRepeatedly(1), call, failure, 9).decision).toMatchObject({ kind: 'advise' });
    expect(judgeHookCall(failRepeatedly(2), call, mainAgent).decision).toEqual({ kind: 'nothing' });
    expect(judgeHookCall(failRepeatedly(3), call, mainAgent).decision).toMatchObject({
      kind: 'deny',
      text: expect.stringContaining('Not run again') as string,
    });
    expect(
      judgeHookCall(failRepeatedly(3), { ...call, args: { command: 'ls' } }, mainAgent).decision.kind,
    ).toBe('nothing');
  });

  it('allows a blocked call again after another call made progress', () => {
    const moved = recordHookCall(
      failRepeatedly(3),
      { tool: 'Edit', args: { file: 'a.ts' } },
      { ok: true, output: 'done' },
      9,
    );
    expect(judgeHookCall(moved.state, call, mainAgent).decision.kind).toBe('nothing');
  });

  it('ends the work if the agent insists on a blocked call, and stops an agent that continues', () => {
    let state = failRepeatedly(3);
    const words = [];
    for (let asked = 0; asked < 6; asked += 1) {
      const judged = judgeHookCall(state, call, mainAgent);
      state = judged.state;
      words.push(judged.decision.kind);
    }
    expect(words).toEqual(['deny', 'deny', 'stop', 'stop', 'stop', 'stop']);
    expect(judgeHookCall(state, { tool: 'Read', args: {} }, mainAgent).decision.kind).toBe('stop');
  });

  it('limits the calls between two user messages', () => {
    const used = recordHookCall(initialHookState, call, { ok: true, output: 'fine' }, 0).state;
    expect(judgeHookCall(used, call, { ...mainAgent, callsMax: 2 }).decision.kind).toBe('nothing');
    const denied = judgeHookCall(used, call, { ...mainAgent, callsMax: 1 });
    expect(denied.decision).toMatchObject({
      kind: 'deny',
      text: expect.stringContaining('budget of 1') as string,
    });
    expect(denied.state.finish).not.toBeNull();
  });

  it('does not count its own denials as failures', () => {
    const state = failRepeatedly(2);
    expect(
      recordHookCall(state, call, { ok: false, output: `${governorNotePrefix} Not run again` }, 9),
    ).toEqual({
      state,
      decision: { kind: 'nothing' },
    });
  });

  it('is bounded plain JSON, and never stops productive work', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ tool: fc.string(), args: fc.jsonValue() }), { maxLength: 40 }),
        (calls) => {
          let state = initialHookState;
          for (const [index, each] of calls.entries()) {
            const args = each.args as never;
            const before = judgeHookCall(state, { tool: each.tool, args }, mainAgent);
            expect(before.decision.kind).toBe('nothing');
            const output = `${'news '.repeat(index + 1)}${each.tool}`;
            const after = recordHookCall(
              before.state,
              { tool: each.tool, args },
              { ok: true, output },
              index,
            );
            expect(after.decision.kind).not.toBe('deny');
            state = JSON.parse(JSON.stringify(after.state)) as HookState;
            expect(state).toEqual(after.state);
          }
          expect(state.finish).toBeNull();
        },
      ),
      { numRuns: 50 },
    );
    let state = initialHookState;
    for (let at = 0; at < 500; at += 1) {
      const args = { path: `file-${at}.ts` };
      state = recordHookCall(
        state,
        { tool: 'Read', args },
        { ok: true, output: `line ${'x'.repeat(at)}` },
        at,
      ).state;
    }
    expect(JSON.stringify(state).length).toBeLessThan(40_000);
    expect(state.finish).toBeNull();
  });
});
