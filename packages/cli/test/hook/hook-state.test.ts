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
const failure = { ok: false, said: 'Exit code 1: boom' };

function failRepeatedly(times: number): HookState {
  let mind = initialHookState;
  for (let at = 0; at < times; at += 1) mind = recordHookCall(mind, call, failure, at).mind;
  return mind;
}

describe('the mind of a hook', () => {
  it('advises on the second identical failure and refuses the call from the third on', () => {
    expect(recordHookCall(failRepeatedly(1), call, failure, 9).word).toMatchObject({ kind: 'advise' });
    expect(judgeHookCall(failRepeatedly(2), call, null).word).toEqual({ kind: 'nothing' });
    expect(judgeHookCall(failRepeatedly(3), call, null).word).toMatchObject({
      kind: 'deny',
      text: expect.stringContaining('Not run again') as string,
    });
    expect(judgeHookCall(failRepeatedly(3), { ...call, args: { command: 'ls' } }, null).word.kind).toBe(
      'nothing',
    );
  });

  it('lets a refused call through again once something new has come of another', () => {
    const moved = recordHookCall(
      failRepeatedly(3),
      { tool: 'Edit', args: { file: 'a.ts' } },
      { ok: true, said: 'done' },
      9,
    );
    expect(judgeHookCall(moved.mind, call, null).word.kind).toBe('nothing');
  });

  it('ends the work for whoever insists on a refused call, and stops who goes on all the same', () => {
    let mind = failRepeatedly(3);
    const words = [];
    for (let asked = 0; asked < 6; asked += 1) {
      const judged = judgeHookCall(mind, call, null);
      mind = judged.mind;
      words.push(judged.word.kind);
    }
    expect(words).toEqual(['deny', 'deny', 'deny', 'deny', 'stop', 'stop']);
    expect(judgeHookCall(mind, { tool: 'Read', args: {} }, null).word.kind).toBe('stop');
  });

  it('holds a budget of calls between two words of the user', () => {
    const used = recordHookCall(initialHookState, call, { ok: true, said: 'fine' }, 0).mind;
    expect(judgeHookCall(used, call, 2).word.kind).toBe('nothing');
    const denied = judgeHookCall(used, call, 1);
    expect(denied.word).toMatchObject({
      kind: 'deny',
      text: expect.stringContaining('budget of 1') as string,
    });
    expect(denied.mind.finish).not.toBeNull();
  });

  it('does not count what it turned away itself as a failure', () => {
    const mind = failRepeatedly(2);
    expect(recordHookCall(mind, call, { ok: false, said: `${governorNotePrefix} Not run again` }, 9)).toEqual(
      {
        mind,
        word: { kind: 'nothing' },
      },
    );
  });

  it('is plain JSON, bounded, and never stops work in which every call brings something new', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ tool: fc.string(), args: fc.jsonValue() }), { maxLength: 40 }),
        (calls) => {
          let mind = initialHookState;
          for (const [index, each] of calls.entries()) {
            const args = each.args as never;
            const before = judgeHookCall(mind, { tool: each.tool, args }, null);
            expect(before.word.kind).toBe('nothing');
            const said = `${'news '.repeat(index + 1)}${each.tool}`;
            const after = recordHookCall(before.mind, { tool: each.tool, args }, { ok: true, said }, index);
            expect(after.word.kind).not.toBe('deny');
            mind = JSON.parse(JSON.stringify(after.mind)) as HookState;
            expect(mind).toEqual(after.mind);
          }
          expect(mind.finish).toBeNull();
        },
      ),
      { numRuns: 50 },
    );
    let mind = initialHookState;
    for (let at = 0; at < 500; at += 1) {
      const args = { path: `file-${at}.ts` };
      mind = recordHookCall(
        mind,
        { tool: 'Read', args },
        { ok: true, said: `line ${'x'.repeat(at)}` },
        at,
      ).mind;
    }
    expect(JSON.stringify(mind).length).toBeLessThan(40_000);
    expect(mind.finish).toBeNull();
  });
});
