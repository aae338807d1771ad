import { describe, expect, it } from 'vitest';
import { createSession, step, type Action, type Event, type Session } from '../../src/index.ts';
import { computeRuleDistances } from '@pawl/governor';
import { pawlRules } from '@pawl/governor/rules';
import { ScriptedWorker } from './scripted-worker.ts';

/** Takes one piece out of a file and puts another in its place. */
function swapText(worker: ScriptedWorker, from: string, to: string): ScriptedWorker {
  const output = `edited as number ${worker.session.seq}`;
  return worker.call('edit', { path: 'a.ts', old_string: from, new_string: to }, output);
}

/** A model that never has room, and a pager that frees so much each time. */
function runOverflowing(
  freed: readonly number[],
  { heldTokens = 1_000, ...options }: { readonly heldTokens?: number; readonly logVersion?: number } = {},
): {
  readonly session: Session;
  readonly actions: readonly Action[];
} {
  let session = createSession({ id: 's', at: 0, settings: { maxRetries: 10 }, ...options });
  let actions: readonly Action[] = [];
  const take = (event: object): void => {
    ({ session, actions } = step(session, { ...event, at: session.seq } as Event));
  };
  take({ type: 'user-message', text: 'go' });
  for (const freedTokens of freed) {
    take({ type: 'model-failed', error: { kind: 'context-overflow', message: 'too long' } });
    take({ type: 'paging-finished', freedTokens, heldTokens });
  }
  return { session, actions };
}

describe('edits that undo each other', () => {
  it('get advice when the second is undone for the second time', () => {
    const worker = new ScriptedWorker({ mutatingTools: [] });
    swapText(swapText(swapText(worker, 'x', 'y'), 'y', 'x'), 'x', 'y');
    expect(worker.reasons).toEqual([]);
    swapText(worker, 'y', 'x');
    expect(worker.reasons).toEqual(['edit-and-revert: advise']);
  });

  it('end the work if they continue', () => {
    const worker = new ScriptedWorker({ mutatingTools: [] });
    for (let round = 0; round < 4; round += 1) swapText(swapText(worker, 'x', 'y'), 'y', 'x');
    expect(worker.reasons).toEqual(['edit-and-revert: advise', 'edit-and-revert: stop']);
  });

  it('are found in whole files from tool reports, not only from argument names', () => {
    const writing = new ScriptedWorker({ mutatingTools: [] });
    for (let round = 0; round < 3; round += 1) {
      for (const content of ['one', 'two'])
        writing.call('write', { path: 'a', content }, `ok ${round} ${content}`);
    }
    expect(writing.reasons).toContain('edit-and-revert: advise');
    const reporting = new ScriptedWorker({ mutatingTools: [] });
    for (let round = 0; round < 3; round += 1) {
      for (const hash of ['h1', 'h2']) {
        reporting.call('shell', { command: `make ${round}${hash}` }, `ok ${round}${hash}`, [
          { path: 'a', hash },
        ]);
      }
    }
    expect(reporting.reasons).toContain('edit-and-revert: advise');
  });

  it('are not the same change in many places, nor in many files, nor new content each time', () => {
    const worker = new ScriptedWorker({ mutatingTools: [] });
    for (let index = 0; index < 40; index += 1) {
      worker.call('edit', { path: 'a.ts', old_string: 'x', new_string: 'y' }, `line ${index}`);
      worker.call('edit', { path: `f${index}.ts`, old_string: 'y', new_string: 'x' }, `file ${index}`);
      worker.call('write', { path: 'log.txt', content: `entry ${index}` }, `wrote ${index}`);
    }
    expect(worker.reasons).toEqual([]);
  });
});

describe('the same query', () => {
  it('gets advice if it finds the same, in any word order', () => {
    const worker = new ScriptedWorker();
    worker.call('search', { query: 'secret password' }, 'nothing found');
    worker.call('search', { query: 'Password, secret', limit: 50 }, 'nothing found');
    expect(worker.reasons).toEqual([]);
    worker.call('search', { query: 'password secret', limit: 5 }, 'nothing found');
    expect(worker.reasons).toEqual(['same-query: advise']);
  });

  it('gets no advice if it finds something else, as paging does', () => {
    const worker = new ScriptedWorker();
    for (let page = 0; page < 30; page += 1) worker.call('search', { query: 'x', page }, `results ${page}`);
    expect(worker.reasons).toEqual([]);
  });
});

describe('a long stretch without progress', () => {
  it('gets advice and nothing more', () => {
    const rules = { 'nothing-works': false, 'interleaved-errors': false } as const;
    const worker = new ScriptedWorker({
      governor: { preset: 'pawl', rules: { ...rules, 'stale-errors': false } },
    });
    worker.call('list', {}, 'files');
    for (let time = 0; time < 40; time += 1) {
      const word = String.fromCharCode(97 + (time % 26), 97 + Math.floor(time / 26));
      worker.fails('try', { way: time }, `failed with ${word}`);
    }
    expect(worker.reasons).toEqual(['no-progress: advise']);
  });
});

describe('unreadable replies', () => {
  const invalid = { ok: false, error: { kind: 'invalid', message: 'no such tool' } } as const;

  it('do not count as progress, but six in a row end the work', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 6; time += 1) worker.call('raed', { path: 'a' }, invalid);
    expect(worker.reasons).toEqual(['failed-decisions: advise', 'failed-decisions: stop']);
  });

  it('are cleared by the first readable reply', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 20; time += 1) {
      worker
        .call('raed', {}, invalid)
        .call('raed', {}, invalid)
        .call('read', { path: `${time}` }, `text ${time}`);
    }
    expect(worker.reasons).toEqual([]);
  });

  it('count once, however many calls they request', () => {
    const worker = new ScriptedWorker();
    worker.asks(Array.from({ length: 10 }, () => ({ tool: 'raed', args: {} })));
    for (const { id } of worker.action('run-tools')?.calls ?? []) {
      worker.last = worker.take({ type: 'tool-finished', callId: id, outcome: invalid });
    }
    expect(worker.reasons).toEqual([]);
  });
});

describe('paging', () => {
  it('that frees almost nothing twice halts the work', () => {
    const { session } = runOverflowing([20, 30]);
    expect(session.turn).toMatchObject({
      status: 'halted',
      haltReason: { kind: 'stuck', rule: 'fruitless-paging' },
    });
  });

  it('with nothing to move halts the work the second time, from log version 4 on', () => {
    const halted = { status: 'halted', haltReason: { kind: 'stuck', rule: 'fruitless-paging' } };
    expect(runOverflowing([0], { heldTokens: 0 }).session.turn.status).toBe('callingModel');
    expect(runOverflowing([0, 0], { heldTokens: 0 }).session.turn).toMatchObject(halted);
    expect(runOverflowing([0, 0], { heldTokens: 0, logVersion: 3 }).session.turn.status).toBe('callingModel');
  });

  it('that frees a lot but not enough halts the work', () => {
    expect(runOverflowing([500]).session.turn.status).toBe('callingModel');
    expect(runOverflowing([500, 300]).session.turn.status).toBe('callingModel');
    expect(runOverflowing([500, 300, 300]).session.turn.status).toBe('halted');
  });
});

describe('a verdict', () => {
  it('lists its counter-evidence', () => {
    const worker = new ScriptedWorker();
    for (let time = 0; time < 5; time += 1) {
      worker.call('read', { path: 'a' }, 'A').call('list', { of: time }, `list ${time}`);
    }
    const [verdict] = worker.verdicts;
    expect(verdict?.rule).toBe('again-and-again');
    expect(verdict?.evidence).toHaveLength(5);
    expect(verdict?.counterEvidence).toHaveLength(4);
  });

  it('is predictable: each rule reports its distance to the next threshold', () => {
    const worker = new ScriptedWorker();
    worker.call('read', { path: 'a' }, 'A').call('read', { path: 'a' }, 'A');
    const near = computeRuleDistances(worker.session.governor.detector, pawlRules);
    expect(near.find(({ rule }) => rule === 'repeated-call')).toEqual({
      rule: 'repeated-call',
      count: 2,
      next: { severity: 'advise', at: 3 },
    });
    expect(near).toHaveLength(pawlRules.length);
  });
});

describe('a cycle', () => {
  it.each(Array.from({ length: 15 }, (_, index) => index + 2))(
    'of %i calls is ended before the fourth round, and not reported in the first',
    (period) => {
      const worker = new ScriptedWorker();
      const runRound = (): void => {
        for (let call = 0; call < period; call += 1) worker.call('look', { at: call }, `thing ${call}`);
      };
      runRound();
      expect(worker.reasons).toEqual([]);
      runRound();
      runRound();
      worker.call('look', { at: 0 }, 'thing 0');
      expect(worker.reasons.at(-1)).toMatch(/stop$/);
    },
  );
});

describe('many changes', () => {
  it('acknowledged with the same text count as progress', () => {
    const worker = new ScriptedWorker({ mutatingTools: [] });
    for (let file = 0; file < 50; file += 1)
      worker.call('write', { path: `${file}`, content: `${file}` }, 'Done.');
    expect(worker.reasons).toEqual([]);
  });
});

const lookUp = (worker: ScriptedWorker): ScriptedWorker => worker.call('get_user', { id: 1 }, 'Ada');

describe('a user message', () => {
  it('that only asks to continue does not reset the calls', () => {
    const worker = new ScriptedWorker();
    for (const text of ['Yes, please continue.', 'ok', 'go on'])
      lookUp(worker).reply('Shall I go on?').hears(text);
    lookUp(worker);
    expect(worker.reasons).toEqual(['repeated-call: advise', 'repeated-call: stop']);
  });

  it('with anything new resets them', () => {
    const worker = new ScriptedWorker();
    for (let turn = 0; turn < 10; turn += 1)
      lookUp(worker).reply('Done.').hears(`Now look at order ${turn}.`);
    expect(worker.reasons).toEqual([]);
  });

  it('that asks for a repetition resets them', () => {
    const worker = new ScriptedWorker();
    for (let turn = 0; turn < 10; turn += 1) lookUp(worker).reply('Done.').hears('Try again');
    expect(worker.reasons).toEqual([]);
  });

  it('resets the calls of a session of an older log version', () => {
    const worker = new ScriptedWorker({}, undefined, 4);
    for (let turn = 0; turn < 10; turn += 1) lookUp(worker).reply('Done.').hears('ok');
    expect(worker.reasons).toEqual([]);
  });
});
