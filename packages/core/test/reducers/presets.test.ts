import { describe, expect, it } from 'vitest';
import {
  createSession,
  step,
  type GovernorSettings,
  type Json,
  type ToolOutcome,
  type RequestedCall,
  type Session,
  type SessionSettings,
  type Verdict,
} from '../../src/index.ts';
import type { Rule } from '@pawl/governor';
import {
  permissionAllowed,
  failureOutcome,
  createCall,
  phaseCompleted,
  toolFinished,
  recoveryFinished,
  modelReplied,
  userMessage,
  phaseStarted,
  successOutcome,
} from '../helpers/event-builders.ts';
import {
  requireAction,
  runEvents,
  requireTurn,
  type UntimedEvent,
  type EventRun,
} from '../helpers/run-events.ts';

type GovernorPreset = GovernorSettings['preset'];
type GovernorConfigInput = NonNullable<GovernorSettings['config']>;

const createGovernedSession = (
  preset: GovernorPreset,
  config: GovernorConfigInput = {},
  more: Partial<SessionSettings> = {},
): Session =>
  createSession({
    id: 's',
    at: 0,
    settings: { mutatingTools: [], governor: { preset, rules: {}, config }, ...more },
  });

/** One reply with one call, and what came of it if it was run. */
function runCall(
  from: Session | EventRun,
  tool: string,
  args: Json,
  outcome: ToolOutcome = successOutcome(),
): EventRun {
  const run = runEvents(from, { type: 'model-replied', text: '', calls: [{ id: 'a', tool, args }] });
  return run.session.turn.status === 'executingTools' ? runEvents(run, toolFinished('a', outcome)) : run;
}

const runEdit = (
  from: Session | EventRun,
  path: string,
  outcome?: ToolOutcome,
  more: object = {},
): EventRun => runCall(from, 'edit', { path, old: 'x', new: 'y', ...more }, outcome);

const missingTextOutcome = failureOutcome('old_string not found');

const failEdits = (from: Session | EventRun, times: number, path = 'main.go'): EventRun => {
  let run = runEvents(from);
  for (let time = 0; time < times; time += 1) run = runEdit(run, path, missingTextOutcome);
  return run;
};

const runSearch = (from: Session | EventRun, query: string): EventRun =>
  runCall(from, 'context.fts_search', { query }, successOutcome('no hit'));

const listRunVerdicts = (run: EventRun): readonly Verdict[] =>
  run.steps.flatMap(({ notes }) => notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : [])));

const listRulings = (run: EventRun): readonly string[] =>
  listRunVerdicts(run).map(({ rule, response }) => `${rule}: ${response.kind}`);

const startGovernedRun = (
  preset: GovernorPreset,
  config: GovernorConfigInput = {},
  more: Partial<SessionSettings> = {},
): EventRun => runEvents(createGovernedSession(preset, config, more), userMessage('go'));

/** Two files in turn, twice. */
const alternateEdits = (from: EventRun): EventRun =>
  ['a.go', 'b.go', 'a.go', 'b.go'].reduce<EventRun>((run, path) => runEdit(run, path), from);

/** Ten looks at the same thing, the last with a report. */
const repeatGrep = (report: object): readonly string[] => {
  let run = startGovernedRun('nexora');
  for (let time = 0; time < 9; time += 1) run = runCall(run, 'grep', { pattern: 'x' });
  const last = [
    modelReplied('', createCall('a', 'grep')),
    { ...toolFinished('a'), ...report } as UntimedEvent,
  ];
  return listRulings(runEvents(run, ...last));
};

/** A reply with two calls that cannot be understood. */
const replyWithInvalidCalls = (from: EventRun): EventRun => {
  const two: readonly RequestedCall[] = [createCall('a', 'look'), createCall('b', 'look')];
  const run = runEvents(
    from,
    modelReplied('', ...two),
    toolFinished('a', failureOutcome('no such tool', 'invalid')),
  );
  return run.session.turn.status === 'executingTools'
    ? runEvents(run, toolFinished('b', failureOutcome('no such tool', 'invalid')))
    : run;
};

const isRunFinishing = ({ session: { turn } }: EventRun): boolean =>
  turn.status !== 'callingModel' || turn.ask.finish !== null;

const editTwentyFiles = (preset: GovernorPreset, config: GovernorConfigInput = {}): readonly string[] => {
  let run = startGovernedRun(preset, config);
  for (let time = 0; time < 20 && !isRunFinishing(run); time += 1) {
    run = runCall(run, 'edit', { path: `${time}.go` }, successOutcome(`edited ${time}`));
  }
  return listRulings(run);
};

const countVerdicts = (config: GovernorConfigInput): number =>
  listRunVerdicts(failEdits(startGovernedRun('nexora', config, { maxRecoveries: 0 }), 10)).length;

describe('the preset nexora in a session', () => {
  it('attempts recovery after three identical errors, and halts if none helps [NEX-04, NEX-13, RN-02]', () => {
    const stuck = failEdits(startGovernedRun('nexora'), 3);
    expect(requireTurn(stuck, 'errorRecovery')).toMatchObject({ origin: 'tool', attempt: 1 });
    expect(requireAction(stuck, 'recover').verdict).toMatchObject({
      rule: 'same_error',
      reason: 'main.go gave the same error 3 times in a row: old_string not found',
    });
    let run = stuck;
    for (const attempt of [2, 3]) {
      run = failEdits(runEvents(run, recoveryFinished()), 1);
      expect(requireTurn(run, 'errorRecovery')).toMatchObject({ attempt });
    }
    const end = failEdits(runEvents(run, recoveryFinished()), 1);
    expect(requireTurn(end, 'halted').haltReason).toMatchObject({ kind: 'stuck', rule: 'same_error' });
  });

  it('refers to events as evidence, not to calls', () => {
    const run = failEdits(runEdit(startGovernedRun('nexora'), 'other.go'), 3);
    const [verdict] = listRunVerdicts(run);
    const proof = verdict?.evidence.map((seq) => run.events[seq - 1]);
    expect(proof?.map((event) => event?.type)).toEqual(Array(3).fill('tool-finished'));
    expect(verdict?.evidence).toEqual([5, 7, 9]);
  });

  it('gives the known remedy for the error, and waits if waiting helps [NEX-123]', () => {
    expect(listRunVerdicts(failEdits(startGovernedRun('nexora'), 3))[0]?.advice).toMatch(
      /another tool\. Read the file/,
    );
    let run = startGovernedRun('nexora');
    for (let time = 0; time < 3; time += 1)
      run = runCall(run, 'fetch', {}, failureOutcome('429 too many requests'));
    expect(listRunVerdicts(run)[0]?.response).toEqual({ kind: 'recover', waitMs: 30_000 });
  });

  it('clears errors and recoveries after a success [RN-03]', () => {
    const recovering = runEvents(failEdits(startGovernedRun('nexora'), 3), recoveryFinished());
    const saved = runEdit(recovering, 'main.go');
    expect(saved.session.governor.recoveries).toBe(0);
    expect(listRulings(failEdits(saved, 2))).toHaveLength(1);
    expect(listRulings(failEdits(saved, 3))).toHaveLength(2);
  });

  it('clears errors with a new phase, and keeps the recorded work [NEX-05, NEX-15, RX-11]', () => {
    const two = failEdits(runEdit(startGovernedRun('nexora'), 'a.go', successOutcome(), { content: 'x' }), 2);
    const messages = two.session.governor.tracker?.state.ledger.messages.length;
    expect(messages).toBe(0);
    const next = runEvents(two, phaseStarted(2));
    expect(next.session.governor.tracker?.state).toMatchObject({
      detector: { actions: [], errors: [], consecutiveErrors: 0 },
      ledger: { filesModified: 1, messages: [] },
    });
    expect(listRulings(failEdits(next, 2))).toEqual([]);
    expect(listRulings(failEdits(runEvents(two, phaseCompleted()), 2))).toHaveLength(1);
  });

  it('is reset by successful work, not by user messages', () => {
    const run = runEvents(
      failEdits(startGovernedRun('nexora'), 2),
      modelReplied('I give up.'),
      userMessage('Try once more.'),
    );
    expect(listRulings(failEdits(run, 1))).toEqual(['same_error: recover']);
  });

  it('halts on oscillation between two files, unless a recovery exists [NEX-27, RN-02]', () => {
    const halted = alternateEdits(startGovernedRun('nexora'));
    expect(listRulings(halted)).toEqual(['oscillation: halt']);
    expect(requireTurn(halted, 'halted').haltReason).toMatchObject({ kind: 'stuck', rule: 'oscillation' });
    const recoverable = startGovernedRun('nexora', { recoverable_rules: ['same_error', 'oscillation'] });
    expect(requireTurn(alternateEdits(recoverable), 'errorRecovery')).toMatchObject({
      origin: 'tool',
      attempt: 1,
    });
  });

  it('accepts alternating files as progress if their content is new each time [RN-07]', () => {
    let run = startGovernedRun('nexora');
    for (let time = 0; time < 20; time += 1) {
      const path = time % 2 === 0 ? 'a.go' : 'b.go';
      run = runEvents(run, {
        type: 'model-replied',
        text: '',
        calls: [{ id: 'a', tool: 'edit', args: { path } }],
      });
      run = runEvents(run, { ...toolFinished('a'), files: [{ path, hash: `${time}` }] } as UntimedEvent);
    }
    expect(listRulings(run)).toEqual([]);
  });

  it('only advises on ten actions without progress [RN-06]', () => {
    let run = startGovernedRun('nexora');
    for (let time = 0; time < 20; time += 1) run = runCall(run, 'grep', { pattern: 'x' });
    expect(listRulings(run)).toEqual(['no_progress: advise']);
    expect(requireTurn(run, 'callingModel').ask.advice).toBeNull();
  });

  it('counts files and tests that a tool reports as progress [NEX-89, SAV-60]', () => {
    expect(repeatGrep({})).toEqual(['no_progress: advise']);
    expect(repeatGrep({ files: [{ path: 'new.go', hash: '1' }] })).toEqual([]);
    expect(repeatGrep({ tests: { passed: 3, failed: 0 } })).toEqual([]);
    expect(repeatGrep({ tests: { passed: 3, failed: 1 } })).toEqual(['no_progress: advise']);
  });

  it('accepts a thousand productive calls over ten phases [NEX-03, NEX-65, NEX-66, NEX-115]', () => {
    let session = step(createGovernedSession('nexora'), { type: 'user-message', at: 0, text: 'go' }).session;
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
      take({ type: 'tool-finished', at, callId: 'a', outcome: successOutcome() });
    }
    expect([notes, session.turn.status, session.phases.current?.number]).toEqual([0, 'callingModel', 10]);
    expect(session.governor.tracker?.state.ledger).toMatchObject({ callsEnded: 1_000, filesModified: 1_000 });
  });
});

describe('the preset savant in a session', () => {
  it('ends the work instead of running the same search twice [SAV-20, SAV-126, RS-14]', () => {
    const run = runSearch(runSearch(startGovernedRun('savant'), 'execution'), 'execution');
    expect(listRulings(run)).toEqual(['repeated_query: stop']);
    expect(requireTurn(run, 'callingModel').ask.finish).toMatchObject({
      ends: 'session',
      rule: 'repeated_query',
    });
    expect(requireAction(run, 'ask-model').tools).toBe(false);
    const end = runEvents(run, modelReplied('Nothing was found.'));
    expect(listRulings(end)).toHaveLength(1);
    expect(requireTurn(end, 'halted').haltReason).toMatchObject({
      kind: 'stuck',
      reason: 'stuck_detection: "execution" was searched for 2 times in a row',
    });
  });

  it('advises once and then forces the end, with that policy [SAV-115, RS-03]', () => {
    let run = startGovernedRun('savant', { policy: 'advise-once-then-force', repeated_query: 20 });
    for (const query of ['a', 'b', 'c']) run = runSearch(run, query);
    expect(listRulings(run)).toEqual(['repeated_tool: advise']);
    expect(requireTurn(run, 'callingModel').ask.advice).toContain('3 searches so far');
    expect(listRulings(runSearch(run, 'd'))).toEqual(['repeated_tool: advise', 'repeated_tool: stop']);
  });

  it('counts each continuing reply as a step, and ends five in one state [SAV-09, SAV-16, RS-16]', () => {
    let run = startGovernedRun('savant', { repeated_tool: 20 });
    for (const file of ['a', 'b', 'c', 'd', 'e']) run = runCall(run, 'read', { file });
    expect(listRulings(run)).toEqual([]);
    run = runCall(run, 'read', { file: 'f' });
    expect(listRulings(run)).toEqual(['steps_in_state: stop']);
    expect(listRunVerdicts(run)[0]?.evidence).toEqual([run.events.length]);
  });

  it('accepts an answer at the fifth step', () => {
    let run = startGovernedRun('savant', { repeated_tool: 20 });
    for (const file of ['a', 'b', 'c', 'd', 'e']) run = runCall(run, 'read', { file });
    const answered = runEvents(run, modelReplied('Here it is.'));
    expect([answered.session.turn.status, listRulings(answered)]).toEqual(['waitingForUser', []]);
  });

  it('uses the time in the events [SAV-10, RS-17, RX-07]', () => {
    const run = runSearch(startGovernedRun('savant'), 'a');
    const at = (ms: number): EventRun =>
      runEvents(run, { ...modelReplied('', createCall('b', 'context.fts_search')), at: run.at - 10 + ms });
    expect(listRulings(at(60_000))).toEqual([]);
    expect(listRulings(at(60_001))).toEqual(['timeout: stop']);
  });

  it('resets with a user message, and continues after other messages [RS-13]', () => {
    const once = runEvents(runSearch(startGovernedRun('savant'), 'x'), modelReplied('Nothing.'));
    expect(listRulings(runSearch(runEvents(once, userMessage('Look again.')), 'x'))).toEqual([]);
    const pushed = { type: 'user-message', text: 'Go on.', automatic: true } as const;
    expect(listRulings(runSearch(runEvents(once, pushed), 'x'))).toEqual(['repeated_query: stop']);
  });

  it('ends replies without calls that a harness keeps prompting', () => {
    let run = startGovernedRun('savant');
    for (let time = 0; time < 6 && run.session.turn.status !== 'halted'; time += 1) {
      run = runEvents(run, modelReplied(`Let me think, ${time}.`));
      run = runEvents(run, { type: 'user-message', text: 'Go on.', automatic: true });
    }
    expect(listRulings(run)).toEqual(['steps_in_state: stop']);
    expect(requireTurn(run, 'halted').haltReason.rule).toBe('steps_in_state');
  });

  it('stops after three failed decisions, one per reply [SAV-95, RS-06]', () => {
    const relaxed = { repeated_tool: 20, steps_in_state: 20 };
    const two = replyWithInvalidCalls(replyWithInvalidCalls(startGovernedRun('savant', relaxed)));
    expect(listRulings(two)).toEqual([]);
    expect(listRulings(replyWithInvalidCalls(two))).toEqual(['failed_decisions: stop']);
    const denied = runEvents(runCall(two, 'read', {}), modelReplied('', createCall('a', 'rm', 'deny')));
    expect(denied.session.governor.tracker?.state.detector).toMatchObject({ failedDecisions: 1 });
  });

  it('observes allowed calls when they end, and never denied ones', () => {
    const asking = runEvents(
      startGovernedRun('savant'),
      modelReplied('', createCall('a', 'context.fts_search', 'ask')),
    );
    expect(asking.session.governor.tracker?.state.ledger.callsMade).toBe(0);
    const refused = runEvents(asking, { type: 'permission-decided', callId: 'a', decision: 'deny' });
    expect(refused.session.governor.tracker?.state.ledger.callsMade).toBe(0);
    const ran = runEvents(
      asking,
      { type: 'permission-decided', callId: 'a', decision: 'allow' },
      toolFinished('a'),
    );
    expect(ran.session.governor.tracker?.state.ledger).toMatchObject({ callsMade: 1, callsEnded: 1 });
    const pushed = { type: 'user-message', text: 'Go on.', automatic: true } as const;
    const dropped = runEvents(
      startGovernedRun('savant'),
      modelReplied('', createCall('a')),
      { type: 'cancel-requested' },
      pushed,
    );
    const asked = runEvents(
      dropped,
      modelReplied('', createCall('a', 'context.fts_search', 'ask')),
      permissionAllowed('a'),
      toolFinished('a'),
    );
    expect(asked.session.governor.tracker?.state.detector).toMatchObject({ searches: 1 });
  });

  it('reports the reason once, however many calls are still running', () => {
    const ids = ['a', 'b', 'c'];
    const search = { tool: 'context.fts_search', args: { query: 'x' }, permission: 'ask' } as const;
    const allowed = runEvents(
      startGovernedRun('savant'),
      modelReplied('', ...ids.map((id) => ({ id, ...search }))),
      ...ids.map((id) => permissionAllowed(id)),
    );
    const run = runEvents(allowed, ...ids.map((id) => toolFinished(id)));
    expect(listRulings(run)).toEqual(['repeated_query: stop']);
    expect(requireTurn(run, 'callingModel').ask.finish).not.toBeNull();
  });
});

describe('a preset', () => {
  it('for searching ends three consecutive uses of a tool, one for coding does not [RX-01]', () => {
    expect(editTwentyFiles('savant')).toEqual(['repeated_tool: stop']);
    expect(editTwentyFiles('nexora')).toEqual([]);
    expect(editTwentyFiles('pawl')).toEqual([]);
  });

  it('for searching ends five steps in one state, one for coding does not [RX-02]', () => {
    expect(editTwentyFiles('savant', { repeated_tool: 20 })).toEqual(['steps_in_state: stop']);
    expect(editTwentyFiles('nexora-lenient')).toEqual([]);
    expect(editTwentyFiles('none')).toEqual([]);
  });

  it.each<[GovernorConfigInput, GovernorConfigInput]>([
    [{ stuck_threshold: 2 }, { stuckThreshold: 2 }],
    [
      { stuck_threshold: 9, max_recent_errors: 9 },
      { stuckThreshold: 9, maxRecentErrors: 9 },
    ],
    [{ enable: false }, { enable: false }],
  ])('accepts %j in either spelling', (snake, camel) => {
    expect(countVerdicts(snake)).toBe(countVerdicts(camel));
    expect(countVerdicts(snake)).toBe(snake['enable'] === false ? 0 : 1);
  });

  it('is more tolerant in the lenient variant [RN-01]', () => {
    expect(listRulings(failEdits(startGovernedRun('nexora-lenient'), 4))).toEqual([]);
    expect(listRulings(failEdits(startGovernedRun('nexora-lenient'), 5))).toEqual(['same_error: recover']);
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
  ])('%s with %j is rejected when the session is created', (preset, config, message) => {
    expect(() => createGovernedSession(preset as GovernorPreset, config as GovernorConfigInput)).toThrow(
      TypeError,
    );
    expect(() => createGovernedSession(preset as GovernorPreset, config as GovernorConfigInput)).toThrow(
      message,
    );
  });

  it('adds no tracker to a session with other rules', () => {
    expect(createGovernedSession('pawl').governor.tracker).toBeNull();
    expect(failEdits(startGovernedRun('pawl'), 3).session.governor.tracker).toBeNull();
  });

  it('allows custom rules', () => {
    const rule: Rule = {
      id: 'mine',
      rationale: 'I say so.',
      thresholds: { advise: 1, block: null, stop: null },
      match: (evidence) => ({ count: 1, evidence, loop: 'mine', reason: 'mine', advice: 'Mind.' }),
    };
    let session = createGovernedSession('nexora');
    const notes: string[] = [];
    const log = failEdits(startGovernedRun('nexora'), 3).events;
    for (const event of log) {
      const after = step(session, event, [rule]);
      session = after.session;
      notes.push(...after.notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict.rule] : [])));
    }
    expect(notes).toEqual(['mine', 'same_error']);
  });

  it('counts events during a pause once', () => {
    let run = failEdits(startGovernedRun('nexora'), 2);
    run = runEvents(
      run,
      modelReplied('', { id: 'a', tool: 'edit', args: { path: 'main.go', old: 'x', new: 'y' } }),
    );
    run = runEvents(run, { type: 'pause-requested', reason: 'lunch' }, toolFinished('a', missingTextOutcome));
    expect(run.session.governor.tracker?.state.ledger.failures).toBe(3);
    expect(listRulings(run)).toEqual(['same_error: recover']);
    expect(runEvents(run, { type: 'resume-requested' }).session.turn.status).toBe('errorRecovery');
  });
});
