import { describe, expect, it } from 'vitest';
import {
  createSession,
  step,
  type GovernorSettings,
  type Json,
  type Outcome,
  type RequestedCall,
  type Rule,
  type Session,
  type Settings,
  type Verdict,
} from '../../src/index.ts';
import {
  allows,
  broke,
  call,
  endsPhase,
  finishes,
  recovers,
  replies,
  says,
  startsPhase,
  worked,
} from '../helpers/happenings.ts';
import { actionOf, tell, turnIn, type Happening, type Told } from '../helpers/tell.ts';

type Preset = GovernorSettings['preset'];
type Config = NonNullable<GovernorSettings['config']>;

const governed = (preset: Preset, config: Config = {}, more: Partial<Settings> = {}): Session =>
  createSession({
    id: 's',
    at: 0,
    settings: { mutatingTools: [], governor: { preset, rules: {}, config }, ...more },
  });

/** One reply with one call, and what came of it if it was run. */
function works(from: Session | Told, tool: string, args: Json, outcome: Outcome = worked()): Told {
  const told = tell(from, { type: 'model-replied', text: '', calls: [{ id: 'a', tool, args }] });
  return told.session.turn.status === 'executingTools' ? tell(told, finishes('a', outcome)) : told;
}

const edits = (from: Session | Told, path: string, outcome?: Outcome, more: object = {}): Told =>
  works(from, 'edit', { path, old: 'x', new: 'y', ...more }, outcome);

const missing = broke('old_string not found');

const misses = (from: Session | Told, times: number, path = 'main.go'): Told => {
  let told = tell(from);
  for (let time = 0; time < times; time += 1) told = edits(told, path, missing);
  return told;
};

const searches = (from: Session | Told, query: string): Told =>
  works(from, 'context.fts_search', { query }, worked('no hit'));

const verdicts = (told: Told): readonly Verdict[] =>
  told.steps.flatMap(({ notes }) => notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : [])));

const rulings = (told: Told): readonly string[] =>
  verdicts(told).map(({ rule, response }) => `${rule}: ${response.kind}`);

const started = (preset: Preset, config: Config = {}, more: Partial<Settings> = {}): Told =>
  tell(governed(preset, config, more), says('go'));

/** Two files in turn, twice. */
const swing = (from: Told): Told =>
  ['a.go', 'b.go', 'a.go', 'b.go'].reduce<Told>((told, path) => edits(told, path), from);

/** Ten looks at the same thing, the last with a report. */
const looks = (report: object): readonly string[] => {
  let told = started('nexora');
  for (let time = 0; time < 9; time += 1) told = works(told, 'grep', { pattern: 'x' });
  const last = [replies('', call('a', 'grep')), { ...finishes('a'), ...report } as Happening];
  return rulings(tell(told, ...last));
};

/** A reply with two calls that cannot be understood. */
const faulty = (from: Told): Told => {
  const two: readonly RequestedCall[] = [call('a', 'look'), call('b', 'look')];
  const told = tell(from, replies('', ...two), finishes('a', broke('no such tool', 'invalid')));
  return told.session.turn.status === 'executingTools'
    ? tell(told, finishes('b', broke('no such tool', 'invalid')))
    : told;
};

const isFinishing = ({ session: { turn } }: Told): boolean =>
  turn.status !== 'callingModel' || turn.ask.finish !== null;

const editTwenty = (preset: Preset, config: Config = {}): readonly string[] => {
  let told = started(preset, config);
  for (let time = 0; time < 20 && !isFinishing(told); time += 1) {
    told = works(told, 'edit', { path: `${time}.go` }, worked(`edited ${time}`));
  }
  return rulings(told);
};

const countOf = (config: Config): number =>
  verdicts(misses(started('nexora', config, { maxRecoveries: 0 }), 10)).length;

describe('the preset nexora in a session', () => {
  it('looks for a way out after three identical errors, and halts when none helps [NEX-04, NEX-13, RN-02]', () => {
    const stuck = misses(started('nexora'), 3);
    expect(turnIn(stuck, 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
    expect(actionOf(stuck, 'recover').verdict).toMatchObject({
      rule: 'same_error',
      reason: 'main.go gave the same error 3 times in a row: old_string not found',
    });
    let told = stuck;
    for (const attempt of [2, 3]) {
      told = misses(tell(told, recovers()), 1);
      expect(turnIn(told, 'errorRecovery')).toMatchObject({ attempt });
    }
    const end = misses(tell(told, recovers()), 1);
    expect(turnIn(end, 'halted').why).toMatchObject({ kind: 'stuck', rule: 'same_error' });
  });

  it('names the events that prove it, not the calls', () => {
    const told = misses(edits(started('nexora'), 'other.go'), 3);
    const [verdict] = verdicts(told);
    const proof = verdict?.evidence.map((seq) => told.events[seq - 1]);
    expect(proof?.map((event) => event?.type)).toEqual(Array(3).fill('tool-finished'));
    expect(verdict?.evidence).toEqual([5, 7, 9]);
  });

  it('says what is known to help against the error, and waits where waiting does [NEX-123]', () => {
    expect(verdicts(misses(started('nexora'), 3))[0]?.advice).toMatch(/another tool\. Read the file/);
    let told = started('nexora');
    for (let time = 0; time < 3; time += 1) told = works(told, 'fetch', {}, broke('429 too many requests'));
    expect(verdicts(told)[0]?.response).toEqual({ kind: 'recover', waitMs: 30_000 });
  });

  it('forgets errors and recoveries with a success [RN-03]', () => {
    const recovering = tell(misses(started('nexora'), 3), recovers());
    const saved = edits(recovering, 'main.go');
    expect(saved.session.governor.recoveries).toBe(0);
    expect(rulings(misses(saved, 2))).toHaveLength(1);
    expect(rulings(misses(saved, 3))).toHaveLength(2);
  });

  it('forgets errors with a phase, and keeps what was done [NEX-05, NEX-15, RX-11]', () => {
    const two = misses(edits(started('nexora'), 'a.go', worked(), { content: 'x' }), 2);
    const messages = two.session.governor.tracker?.state.ledger.messages.length;
    expect(messages).toBe(0);
    const next = tell(two, startsPhase(2));
    expect(next.session.governor.tracker?.state).toMatchObject({
      mind: { actions: [], errors: [], consecutiveErrors: 0 },
      ledger: { filesModified: 1, messages: [] },
    });
    expect(rulings(misses(next, 2))).toEqual([]);
    expect(rulings(misses(tell(two, endsPhase()), 2))).toHaveLength(1);
  });

  it('is not calmed by what a person says: only work that works is', () => {
    const told = tell(misses(started('nexora'), 2), replies('I give up.'), says('Try once more.'));
    expect(rulings(misses(told, 1))).toEqual(['same_error: recover']);
  });

  it('halts on two files that take turns, unless there is a way out of that [NEX-27, RN-02]', () => {
    const halted = swing(started('nexora'));
    expect(rulings(halted)).toEqual(['oscillation: halt']);
    expect(turnIn(halted, 'halted').why).toMatchObject({ kind: 'stuck', rule: 'oscillation' });
    const recoverable = started('nexora', { recoverable_rules: ['same_error', 'oscillation'] });
    expect(turnIn(swing(recoverable), 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
  });

  it('takes the turns of two files for work when their content is new each time [RN-07]', () => {
    let told = started('nexora');
    for (let time = 0; time < 20; time += 1) {
      const path = time % 2 === 0 ? 'a.go' : 'b.go';
      told = tell(told, {
        type: 'model-replied',
        text: '',
        calls: [{ id: 'a', tool: 'edit', args: { path } }],
      });
      told = tell(told, { ...finishes('a'), files: [{ path, hash: `${time}` }] } as Happening);
    }
    expect(rulings(told)).toEqual([]);
  });

  it('only advises on ten actions without progress [RN-06]', () => {
    let told = started('nexora');
    for (let time = 0; time < 20; time += 1) told = works(told, 'grep', { pattern: 'x' });
    expect(rulings(told)).toEqual(['no_progress: advise']);
    expect(turnIn(told, 'callingModel').ask.advice).toBeNull();
  });

  it('takes files and tests that a tool reports for progress, and misses it without [NEX-89, SAV-60]', () => {
    expect(looks({})).toEqual(['no_progress: advise']);
    expect(looks({ files: [{ path: 'new.go', hash: '1' }] })).toEqual([]);
    expect(looks({ tests: { passed: 3, failed: 0 } })).toEqual([]);
    expect(looks({ tests: { passed: 3, failed: 1 } })).toEqual(['no_progress: advise']);
  });

  it('lets a thousand productive calls over ten phases pass [NEX-03, NEX-65, NEX-66, NEX-115]', () => {
    let session = step(governed('nexora'), { type: 'user-message', at: 0, text: 'go' }).session;
    let notes = 0;
    const take = (event: Parameters<typeof step>[1]): void => {
      const after = step(session, event);
      session = after.session;
      notes += after.notes.filter(({ type }) => type === 'verdict').length;
    };
    for (let index = 0; index < 1_000; index += 1) {
      const at = index * 1_000;
      if (index % 100 === 0)
        take({ type: 'phase-started', at, number: index / 100 + 1, description: 'part' });
      const args = { path: `${index}.go` };
      take({ type: 'model-replied', at, text: 'on it', calls: [{ id: 'a', tool: 'edit', args }] });
      take({ type: 'tool-finished', at, callId: 'a', outcome: worked() });
    }
    expect([notes, session.turn.status, session.phases.current?.number]).toEqual([0, 'callingModel', 10]);
    expect(session.governor.tracker?.state.ledger).toMatchObject({ callsEnded: 1_000, filesModified: 1_000 });
  });
});

describe('the preset savant in a session', () => {
  it('does not run the second search for the same thing: it has the work finished [SAV-20, SAV-126, RS-14]', () => {
    const told = searches(searches(started('savant'), 'execution'), 'execution');
    expect(rulings(told)).toEqual(['repeated_query: finish']);
    expect(turnIn(told, 'callingModel').ask.finish).toMatchObject({
      ends: 'session',
      rule: 'repeated_query',
    });
    expect(actionOf(told, 'ask-model').tools).toBe(false);
    const end = tell(told, replies('Nothing was found.'));
    expect(rulings(end)).toHaveLength(1);
    expect(turnIn(end, 'halted').why).toMatchObject({
      kind: 'stuck',
      reason: 'stuck_detection: "execution" was searched for 2 times in a row',
    });
  });

  it('advises once and then forces the end, where that is the policy [SAV-115, RS-03]', () => {
    let told = started('savant', { policy: 'advise-once-then-force', repeated_query: 20 });
    for (const query of ['a', 'b', 'c']) told = searches(told, query);
    expect(rulings(told)).toEqual(['repeated_tool: advise']);
    expect(turnIn(told, 'callingModel').ask.advice).toContain('3 searches so far');
    expect(rulings(searches(told, 'd'))).toEqual(['repeated_tool: advise', 'repeated_tool: finish']);
  });

  it('counts each reply that goes on as a step, and ends five of them in one state [SAV-09, SAV-16, RS-16]', () => {
    let told = started('savant', { repeated_tool: 20 });
    for (const file of ['a', 'b', 'c', 'd', 'e']) told = works(told, 'read', { file });
    expect(rulings(told)).toEqual([]);
    told = works(told, 'read', { file: 'f' });
    expect(rulings(told)).toEqual(['steps_in_state: finish']);
    expect(verdicts(told)[0]?.evidence).toEqual([told.events.length]);
  });

  it('lets an answer stand that comes at the fifth step', () => {
    let told = started('savant', { repeated_tool: 20 });
    for (const file of ['a', 'b', 'c', 'd', 'e']) told = works(told, 'read', { file });
    const answered = tell(told, replies('Here it is.'));
    expect([answered.session.turn.status, rulings(answered)]).toEqual(['waitingForUser', []]);
  });

  it('goes by the time in the events [SAV-10, RS-17, RX-07]', () => {
    const told = searches(started('savant'), 'a');
    const at = (ms: number): Told =>
      tell(told, { ...replies('', call('b', 'context.fts_search')), at: told.at - 10 + ms });
    expect(rulings(at(60_000))).toEqual([]);
    expect(rulings(at(60_001))).toEqual(['timeout: finish']);
  });

  it('begins anew with what a person says, and goes on with what no person says [RS-13]', () => {
    const once = tell(searches(started('savant'), 'x'), replies('Nothing.'));
    expect(rulings(searches(tell(once, says('Look again.')), 'x'))).toEqual([]);
    const pushed = { type: 'user-message', text: 'Go on.', automatic: true } as const;
    expect(rulings(searches(tell(once, pushed), 'x'))).toEqual(['repeated_query: finish']);
  });

  it('ends talk that a harness keeps going', () => {
    let told = started('savant');
    for (let time = 0; time < 6 && told.session.turn.status !== 'halted'; time += 1) {
      told = tell(told, replies(`Let me think, ${time}.`));
      told = tell(told, { type: 'user-message', text: 'Go on.', automatic: true });
    }
    expect(rulings(told)).toEqual(['steps_in_state: finish']);
    expect(turnIn(told, 'halted').why.rule).toBe('steps_in_state');
  });

  it('stops after three decisions that fail, one for each reply [SAV-95, RS-06]', () => {
    const relaxed = { repeated_tool: 20, steps_in_state: 20 };
    const two = faulty(faulty(started('savant', relaxed)));
    expect(rulings(two)).toEqual([]);
    expect(rulings(faulty(two))).toEqual(['failed_decisions: finish']);
    const denied = tell(works(two, 'read', {}), replies('', call('a', 'rm', 'deny')));
    expect(denied.session.governor.tracker?.state.mind).toMatchObject({ failedDecisions: 1 });
  });

  it('hears of calls that a person allowed when they end, and never of those a person refused', () => {
    const asking = tell(started('savant'), replies('', call('a', 'context.fts_search', 'ask')));
    expect(asking.session.governor.tracker?.state.ledger.callsMade).toBe(0);
    const refused = tell(asking, { type: 'permission-decided', callId: 'a', decision: 'deny' });
    expect(refused.session.governor.tracker?.state.ledger.callsMade).toBe(0);
    const ran = tell(asking, { type: 'permission-decided', callId: 'a', decision: 'allow' }, finishes('a'));
    expect(ran.session.governor.tracker?.state.ledger).toMatchObject({ callsMade: 1, callsEnded: 1 });
    const pushed = { type: 'user-message', text: 'Go on.', automatic: true } as const;
    const dropped = tell(started('savant'), replies('', call('a')), { type: 'cancel-requested' }, pushed);
    const asked = tell(
      dropped,
      replies('', call('a', 'context.fts_search', 'ask')),
      allows('a'),
      finishes('a'),
    );
    expect(asked.session.governor.tracker?.state.mind).toMatchObject({ searches: 1 });
  });

  it('says once what it ends the work for, however many calls are still under way', () => {
    const ids = ['a', 'b', 'c'];
    const search = { tool: 'context.fts_search', args: { query: 'x' }, permission: 'ask' } as const;
    const allowed = tell(
      started('savant'),
      replies('', ...ids.map((id) => ({ id, ...search }))),
      ...ids.map((id) => allows(id)),
    );
    const told = tell(allowed, ...ids.map((id) => finishes(id)));
    expect(rulings(told)).toEqual(['repeated_query: finish']);
    expect(turnIn(told, 'callingModel').ask.finish).not.toBeNull();
  });
});

describe('a preset', () => {
  it('for searching ends a tool that is used three times in a row, one for coding does not [RX-01]', () => {
    expect(editTwenty('savant')).toEqual(['repeated_tool: finish']);
    expect(editTwenty('nexora')).toEqual([]);
    expect(editTwenty('pawl')).toEqual([]);
  });

  it('for searching ends five steps in one state, one for coding does not [RX-02]', () => {
    expect(editTwenty('savant', { repeated_tool: 20 })).toEqual(['steps_in_state: finish']);
    expect(editTwenty('nexora-lenient')).toEqual([]);
    expect(editTwenty('none')).toEqual([]);
  });

  it.each<[Config, Config]>([
    [{ stuck_threshold: 2 }, { stuckThreshold: 2 }],
    [
      { stuck_threshold: 9, max_recent_errors: 9 },
      { stuckThreshold: 9, maxRecentErrors: 9 },
    ],
    [{ enable: false }, { enable: false }],
  ])('takes %j in either spelling', (snake, camel) => {
    expect(countOf(snake)).toBe(countOf(camel));
    expect(countOf(snake)).toBe(snake['enable'] === false ? 0 : 1);
  });

  it('is patient where it is the lenient one [RN-01]', () => {
    expect(rulings(misses(started('nexora-lenient'), 4))).toEqual([]);
    expect(rulings(misses(started('nexora-lenient'), 5))).toEqual(['same_error: recover']);
  });

  it.each<[string, object, string]>([
    ['nexora', { stuck_threshold: 0 }, 'stuck_threshold expects a whole number from 1 to 10000, and got 0'],
    ['nexora', { stuck_treshold: 3 }, 'there is no key stuck_treshold. The keys are enable, stuckThreshold'],
    [
      'nexora',
      { auto_halt: true },
      'auto_halt is for a tracker in a loop of your own; in a session set maxRec',
    ],
    ['nexora', { recoveryAttempts: 1 }, 'recoveryAttempts is for a tracker'],
    ['savant', { policy: 'shout' }, 'policy expects one of force, advise-once-then-force'],
    [
      'pawl',
      { stuck_threshold: 3 },
      'config is for the presets nexora, nexora-lenient, savant; pawl is changed with',
    ],
    ['none', { enable: true }, 'none is changed with rules'],
    ['loom', {}, 'There is no preset "loom". The presets are pawl, nexora, nexora-lenient, savant, none'],
    ['__proto__', {}, 'There is no preset "__proto__"'],
  ])('%s with %j is refused when the session is made', (preset, config, message) => {
    expect(() => governed(preset as Preset, config as Config)).toThrow(TypeError);
    expect(() => governed(preset as Preset, config as Config)).toThrow(message);
  });

  it('costs a session with other rules nothing: there is no tracker', () => {
    expect(governed('pawl').governor.tracker).toBeNull();
    expect(misses(started('pawl'), 3).session.governor.tracker).toBeNull();
  });

  it('leaves room for rules of your own', () => {
    const rule: Rule = {
      id: 'mine',
      because: 'I say so.',
      thresholds: { advise: 1, refuse: null, finish: null },
      look: (evidence) => ({ count: 1, evidence, loop: 'mine', reason: 'mine', advice: 'Mind.' }),
    };
    let session = governed('nexora');
    const notes: string[] = [];
    const log = misses(started('nexora'), 3).events;
    for (const event of log) {
      const after = step(session, event, [rule]);
      session = after.session;
      notes.push(...after.notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.rule] : [])));
    }
    expect(notes).toEqual(['mine', 'same_error']);
  });

  it('counts what comes in during a pause, and not twice', () => {
    let told = misses(started('nexora'), 2);
    told = tell(told, replies('', { id: 'a', tool: 'edit', args: { path: 'main.go', old: 'x', new: 'y' } }));
    told = tell(told, { type: 'pause-requested', reason: 'lunch' }, finishes('a', missing));
    expect(told.session.governor.tracker?.state.ledger.failures).toBe(3);
    expect(rulings(told)).toEqual(['same_error: recover']);
    expect(tell(told, { type: 'resume-requested' }).session.turn.status).toBe('errorRecovery');
  });
});
