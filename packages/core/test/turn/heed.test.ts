import { describe, expect, it } from 'vitest';
import { createSession, type Budgets, type Session, type Settings } from '../../src/index.ts';
import { calm } from '../../src/session.ts';
import {
  broke,
  call,
  cancels,
  fails,
  finishes,
  judged,
  overflows,
  paged,
  recovers,
  replies,
  retryIsDue,
  says,
  steers,
  worked,
} from '../helpers/happenings.ts';
import { actionOf, sessionOf, tell, turnIn, type Told } from '../helpers/tell.ts';

const free: Budgets = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

const governed = (preset: 'nexora' | 'savant'): Session =>
  createSession({ id: 's', at: 0, settings: { governor: { preset, rules: {} } } });

const ungoverned = (more: Partial<Settings>): Session =>
  createSession({ id: 's', at: 0, settings: { governor: { preset: 'none', rules: {} }, ...more } });

/** The same call, failing the same way. */
function misses(from: Session | Told, times: number): Told {
  let told = tell(from);
  for (let time = 0; time < times; time += 1) {
    const id = `${told.session.seq}`;
    told = tell(told, replies('', { id, tool: 'read', args: 'gone.txt' }), finishes(id, broke()));
  }
  return told;
}

function verdictsIn({ notes }: Told): readonly string[] {
  return notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.rule] : []));
}

describe('to the governor, what a person says while work is under way', () => {
  const stuck = misses(tell(sessionOf('pawl'), says()), 2);

  it('makes what happened before another story once the model is about to hear it', () => {
    const again = { id: 'x', tool: 'read', args: 'gone.txt' };
    const said = tell(stuck, replies('', again), steers('it has moved'));
    expect(said.session.governor).toBe(tell(stuck, replies('', again)).session.governor);
    expect(said.session.governor.watch).not.toEqual(calm.watch);
    const heard = tell(said, finishes('x', broke()));
    expect(heard.session.governor).toEqual(calm);
  });

  it('leaves what was under way to be judged as part of the old story', () => {
    const said = tell(
      stuck,
      steers('it has moved'),
      replies('', { id: 'x', tool: 'read', args: 'gone.txt' }),
    );
    const heard = tell(said, finishes('x', broke()));
    expect(verdictsIn(heard)).toEqual(['repeated-failure']);
    expect(actionOf(heard, 'ask-model').advice).toContain('failed 3 times in a row');
    expect(verdictsIn(misses(heard, 1))).toEqual([]);
  });

  it('gives back calls that were refused', () => {
    const refused = misses(stuck, 1);
    expect(refused.session.governor.refused).toHaveLength(1);
    const heard = tell(refused, replies('', call('other')), steers('try again'), finishes('other'));
    const tries = tell(heard, replies('', { id: 'x', tool: 'read', args: 'gone.txt' }));
    expect(turnIn(tries, 'executingTools').executions).toMatchObject([{ status: 'pending' }]);
  });

  it('lets recoveries be tried anew', () => {
    const start = sessionOf('pawl', { settings: { maxRecoveries: 1 } });
    const recovering = tell(start, says(), replies('', call('a')), judged('recover'), finishes('a'));
    expect(recovering.session.governor.recoveries).toBe(1);
    const heard = tell(recovering, steers('like this'), recovers());
    expect(heard.session.governor.recoveries).toBe(0);
    const again = tell(heard, replies('', call('b')), judged('recover'), finishes('b'));
    expect(turnIn(again, 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
  });

  it('is no new story when the work is called off before anybody has heard it', () => {
    const said = tell(stuck, steers('never mind'));
    expect(tell(said, cancels()).session.governor).toBe(stuck.session.governor);
  });

  it.each([
    ['a retry', fails(), retryIsDue()],
    ['room was made', overflows(), paged()],
  ])('counts as heard with the call that is made after %s', (_, trouble, again) => {
    const said = tell(stuck, trouble, steers('it has moved'));
    expect(said.session.governor.watch).not.toEqual(calm.watch);
    const heard = tell(said, again);
    expect(heard.session.governor).toEqual(calm);
    expect(turnIn(heard, 'callingModel').retries).toBe(1);
  });
});

describe('to the trackers of other systems it', () => {
  it('begins another run with savant', () => {
    const working = misses(tell(governed('savant'), says()), 1);
    const heard = tell(working, replies('', call('a', 'list')), steers('elsewhere'), finishes('a'));
    const message = tell(governed('savant'), { ...says('elsewhere'), at: heard.at });
    expect(heard.session.governor.tracker).toEqual(message.session.governor.tracker);
  });

  it('makes up for no error with nexora', () => {
    const working = tell(misses(tell(governed('nexora'), says()), 1), replies('', call('a')));
    const heard = tell(working, steers('elsewhere'), finishes('a'));
    const unheard = tell(working, { ...finishes('a'), at: heard.at });
    expect(heard.session.turn.status).toBe('callingModel');
    expect(heard.session.governor.tracker?.state).toEqual(unheard.session.governor.tracker?.state);
  });
});

describe('to the mode it', () => {
  it('begins work anew that had come to its end', () => {
    const start = sessionOf('savant');
    const over = tell(start, says(), replies('', call('a', 'finish')));
    expect(over.session.mode?.state).toBe('FINISHING');
    const heard = tell(over, steers('and the other one?'), finishes('a', worked('all', true)));
    expect(heard.session.turn.status).toBe('callingModel');
    expect(heard.session.mode).toMatchObject({ state: 'INIT', enteredAt: heard.at });
  });

  it('changes nothing where work goes on', () => {
    const start = sessionOf('savant');
    const working = tell(start, says(), replies('', call('a', 'context.fts_search')));
    const heard = tell(working, steers('in the shed'), finishes('a'));
    expect(heard.session.mode?.state).toBe('SEARCHING');
  });
});

describe('what is heard', () => {
  it('takes room in the window of the model, from when it is heard', () => {
    const working = tell(ungoverned({ windowTokens: 100_000 }), says(), replies('', call('a')));
    const said = tell(working, steers('word '.repeat(100)));
    expect(said.session.window).toEqual(working.session.window);
    const quiet = tell(working, finishes('a'));
    const heard = tell(said, finishes('a'));
    const message = tell(quiet, replies(''), says('word '.repeat(100)));
    expect(heard.session.window).toEqual(message.session.window);
    expect(heard.session.window?.tokens).toBeGreaterThan((quiet.session.window?.tokens ?? 0) + 50);
  });

  it('has room made first where it would not fit', () => {
    const start = ungoverned({ windowTokens: 200 });
    const heard = tell(start, says(), replies('', call('a')), steers('word '.repeat(400)), finishes('a'));
    expect(heard.session.turn.status).toBe('paging');
    expect(tell(heard, paged()).session.turn.status).toBe('callingModel');
  });

  it('starts the clock of the budget again', () => {
    const start = ungoverned({ budgets: { ...free, wallMs: 60_000 } });
    const working = tell(start, says(), replies('', call('a')), { ...steers('go on'), at: 50_000 });
    expect(working.session.spent.workingSince).toBe(10);
    const heard = tell(working, { ...finishes('a'), at: 55_000 });
    expect(heard.session.spent.workingSince).toBe(55_000);
    const late = tell(heard, replies('', call('b')), { ...finishes('b'), at: 100_000 });
    expect(actionOf(late, 'ask-model').tools).toBe(true);
  });

  it('does not lift a budget that is used up: the last answer is the last', () => {
    const start = ungoverned({ budgets: { ...free, toolCalls: 1 } });
    const last = tell(start, says(), replies('', call('a')), steers('go on'), finishes('a'));
    expect(actionOf(last, 'ask-model').tools).toBe(false);
    expect(tell(last, replies('all')).session.turn).toMatchObject({
      status: 'halted',
      why: { kind: 'budget' },
    });
  });
});
