import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toItemArray, getConversation, getStepOutcome, type SessionSettings } from '../../src/index.ts';
import {
  permissionAllowed,
  finishRequested,
  failureOutcome,
  createCall,
  cancelRequested,
  permissionDenied,
  phaseCompleted,
  modelFailed,
  toolFinished,
  haltRequested,
  hooksFailed,
  verdictReached,
  recoveryFinished,
  modelReplied,
  retryDue,
  userMessage,
  phaseStarted,
  successOutcome,
  textDelta,
} from '../helpers/event-builders.ts';
import { listNexoraEdges, nexoraStates, validEdges, type NexoraEdge } from '../helpers/nexora.ts';
import { createSampleRun } from '../helpers/sample-runs.ts';
import {
  requireAction,
  listActionTypes,
  listStatusPath,
  getRefusalReason,
  createProfileSession,
  runEvents,
  requireTurn,
  type UntimedEvent,
} from '../helpers/run-events.ts';
import { createWalkArbitrary } from '../helpers/random-walk.ts';

const createNexoraSession = (settings: Partial<SessionSettings> = {}) =>
  createProfileSession('nexora', { settings });

type EdgeScenario = {
  readonly events: readonly UntimedEvent[];
  readonly settings?: Partial<SessionSettings>;
};

const streamingEvents = [userMessage(), textDelta()];
const readingEvents = [...streamingEvents, modelReplied('', createCall('a'))];
const askingEvents = [...streamingEvents, modelReplied('', createCall('a', 'bash', 'ask'))];
const stuckEvents = [...readingEvents, verdictReached('recover'), toolFinished('a', failureOutcome())];

/** For every edge of the table the events that lead along it; the last one goes along it. */
const scenariosByEdge: { readonly [Each in NexoraEdge]?: EdgeScenario } = {
  'Idle → ProcessingPrompt': { events: [userMessage()] },
  'Idle → PhaseTransition': { events: [phaseStarted(1)] },
  'Idle → Halted': { events: [haltRequested()] },
  'ProcessingPrompt → StreamingResponse': { events: [userMessage(), textDelta()] },
  'ProcessingPrompt → ErrorRecovery': { events: [userMessage(), modelFailed()] },
  'ProcessingPrompt → Halted': { events: [userMessage(), haltRequested()] },
  'ProcessingPrompt → ProcessingPrompt': { events: [userMessage(), userMessage('and another thing')] },
  'StreamingResponse → ExecutingTool': { events: readingEvents },
  'StreamingResponse → AwaitingPermission': { events: askingEvents },
  'StreamingResponse → ProgressCheck': {
    events: [...streamingEvents, finishRequested(), modelReplied('', createCall('a'))],
  },
  'StreamingResponse → Idle': { events: [...streamingEvents, modelReplied('done')] },
  'StreamingResponse → ErrorRecovery': { events: [...streamingEvents, modelFailed()] },
  'StreamingResponse → Halted': { events: [...streamingEvents, haltRequested()] },
  'ExecutingTool → StreamingResponse': {
    settings: { progressCheck: false },
    events: [...readingEvents, toolFinished('a')],
  },
  'ExecutingTool → ProgressCheck': { events: [...readingEvents, toolFinished('a')] },
  'ExecutingTool → ErrorRecovery': {
    events: [...streamingEvents, modelReplied('', createCall('a', 'bash')), toolFinished('a'), hooksFailed()],
  },
  'ExecutingTool → Halted': { events: [...readingEvents, haltRequested()] },
  'AwaitingPermission → StreamingResponse': { events: [...askingEvents, permissionDenied('a')] },
  'AwaitingPermission → ExecutingTool': { events: [...askingEvents, permissionAllowed('a')] },
  'AwaitingPermission → Idle': { events: [...askingEvents, cancelRequested()] },
  'AwaitingPermission → Halted': { events: [...askingEvents, haltRequested()] },
  'ErrorRecovery → StreamingResponse': { events: [userMessage(), modelFailed(), retryDue()] },
  'ErrorRecovery → ExecutingTool': {
    events: [...stuckEvents, recoveryFinished({ kind: 'run-tools', calls: [createCall('w', 'write')] })],
  },
  'ErrorRecovery → ProgressCheck': { events: [...stuckEvents, recoveryFinished({ kind: 'check' })] },
  'ErrorRecovery → Idle': {
    events: [...stuckEvents, recoveryFinished({ kind: 'give-up', reason: 'no way out' })],
  },
  'ErrorRecovery → Halted': {
    events: [...stuckEvents, recoveryFinished({ kind: 'halt', reason: 'no way out' })],
  },
  'PhaseTransition → ProcessingPrompt': { events: [phaseStarted(1, 'begin')] },
  'PhaseTransition → ProgressCheck': { events: [...readingEvents, phaseStarted(1), toolFinished('a')] },
  'PhaseTransition → PhaseTransition': {
    events: [...readingEvents, phaseStarted(1), phaseStarted(2), toolFinished('a')],
  },
  'PhaseTransition → Idle': { events: [phaseStarted(1)] },
  'PhaseTransition → Halted': {
    settings: { haltOnFailedPhase: true },
    events: [phaseStarted(1), phaseCompleted(false)],
  },
  'ProgressCheck → StreamingResponse': { events: [...readingEvents, toolFinished('a')] },
  'ProgressCheck → ExecutingTool': { events: [...readingEvents, verdictReached('run'), toolFinished('a')] },
  'ProgressCheck → PhaseTransition': { events: [...readingEvents, phaseStarted(1), toolFinished('a')] },
  'ProgressCheck → ErrorRecovery': { events: stuckEvents },
  'ProgressCheck → Idle': { events: [...readingEvents, toolFinished('a', successOutcome('all done', true))] },
  'ProgressCheck → Halted': { settings: { maxRecoveries: 0 }, events: stuckEvents },
};

function listScenarioEdges({ events, settings }: EdgeScenario): readonly (readonly NexoraEdge[])[] {
  const last = events.at(-1);
  if (last === undefined) return [];
  const before = runEvents(createNexoraSession(settings), ...events.slice(0, -1));
  const after = runEvents(before, last);
  const [event] = after.events.slice(-1);
  return event === undefined ? [] : listNexoraEdges({ before: before.session, event, after });
}

describe('the table of valid moves [RN-11, NEX-46, NEX-88]', () => {
  it('has a scenario for every edge', () => {
    expect(Object.keys(scenariosByEdge).toSorted()).toEqual(validEdges.toSorted());
  });

  it.each(Object.entries(scenariosByEdge))('%s', (edge, scenario) => {
    expect(listScenarioEdges(scenario).flat()).toContain(edge);
  });

  it('is covered through all nine states [NEX-47, NEX-48, NEX-49, NEX-50, NEX-51, NEX-52, NEX-53, NEX-54, NEX-55]', () => {
    const reached = Object.values(scenariosByEdge).flatMap(listScenarioEdges).flat();
    const states = new Set(reached.flatMap((edge) => edge.split(' → ')));
    expect([...states].toSorted()).toEqual(nexoraStates.toSorted());
  });

  it.each([{}, { haltOnFailedPhase: true }, { maxRetries: 1, maxRecoveries: 1 }])(
    'is never violated by any events, with %j [RN-11, NEX-88]',
    (settings) => {
      fc.assert(
        fc.property(createWalkArbitrary({ profile: 'nexora', settings }), ({ steps }) => {
          for (const walkStep of steps) {
            for (const edges of listNexoraEdges(walkStep)) {
              const isStay = edges.some((edge) => isSelfEdge(edge));
              const isValid = edges.some((edge) => validEdges.includes(edge));
              expect({ edges, fine: isStay || isValid }).toEqual({ edges, fine: true });
            }
          }
        }),
        { numRuns: 150 },
      );
    },
  );
});

function isSelfEdge(edge: NexoraEdge): boolean {
  const [from, to] = edge.split(' → ');
  return from === to;
}

describe('the loop', () => {
  it('goes from idle through prompt, response and tools back to idle [NEX-07, NEX-08, NEX-09, NEX-10, NEX-11, NEX-12, NEX-59, NEX-100, NEX-101, NEX-105, NEX-106, NEX-107]', () => {
    const run = runEvents(
      createNexoraSession(),
      ...readingEvents,
      toolFinished('a'),
      textDelta(),
      modelReplied('done'),
    );
    const edges = run.steps.flatMap((after, index) => {
      const event = run.events[index];
      const before = run.steps[index - 1]?.session ?? createNexoraSession();
      return event === undefined ? [] : listNexoraEdges({ before, event, after });
    });
    expect(edges.flat().filter((edge) => !isSelfEdge(edge) && validEdges.includes(edge))).toEqual([
      'Idle → ProcessingPrompt',
      'ProcessingPrompt → StreamingResponse',
      'StreamingResponse → ExecutingTool',
      'ExecutingTool → ProgressCheck',
      'ProgressCheck → StreamingResponse',
      'StreamingResponse → Idle',
    ]);
  });

  it('refuses events the table does not allow with an error, and stays [NEX-19, RX-03]', () => {
    const before = runEvents(createNexoraSession(), userMessage());
    const run = runEvents(before, toolFinished('a'));
    expect(getStepOutcome(run)).toEqual({
      ok: false,
      state: 'callingModel',
      error: 'the model is being asked',
    });
    expect(run.actions).toEqual([
      { type: 'show-error', kind: 'refused', message: 'the model is being asked' },
      { type: 'wait', until: null },
    ]);
    expect(run.session).toBe(before.session);
  });

  it('tolerates a second prompt while the first is processed, and keeps the first [RN-10]', () => {
    const run = runEvents(
      createNexoraSession(),
      userMessage('one'),
      userMessage('two'),
      modelReplied('done'),
    );
    expect(getRefusalReason(run.steps[1] ?? run)).toBeDefined();
    expect(
      toItemArray(getConversation(run.session)).map((message) => message.role !== 'tool' && message.text),
    ).toEqual(['one', 'done']);
  });

  it('is idle at the end of every run, also when the run failed [RN-10, NEX-107]', () => {
    const failing = runEvents(createNexoraSession(), userMessage(), modelFailed({ retryable: false }));
    expect(failing.session.turn.status).toBe('waitingForUser');
    expect(listActionTypes(failing)).toEqual(['show-error']);
  });
});

describe('a stuck verdict', () => {
  it('after a tool leads to recovery, with the attempt and the verdict [NEX-13, RN-02]', () => {
    const run = runEvents(createNexoraSession(), ...stuckEvents);
    expect(listStatusPath(run)).toEqual(['executingTools', 'progressCheck', 'errorRecovery']);
    expect(requireAction(run, 'recover')).toMatchObject({ attempt: 1, verdict: { rule: 'rule-recover' } });
  });

  it('starts a bounded number of recoveries, then halts with its reason [RN-02, NEX-104, NEX-55]', () => {
    let run = runEvents(createNexoraSession(), ...readingEvents);
    for (const attempt of [1, 2, 3]) {
      run = runEvents(run, verdictReached('recover'), toolFinished('a', failureOutcome(`in way ${attempt}`)));
      expect(requireAction(run, 'recover').attempt).toBe(attempt);
      run = runEvents(run, recoveryFinished(), modelReplied('', createCall('a')));
    }
    run = runEvents(run, verdictReached('recover'), toolFinished('a', failureOutcome('in yet another way')));
    const haltReason = { kind: 'stuck', reason: 'because recover', rule: 'rule-recover' };
    expect(requireTurn(run, 'halted').haltReason).toEqual(haltReason);
    expect(run.actions).toEqual([{ type: 'stop', haltReason }]);
  });

  it('may lead the caller to halt, from any state [RN-02, NEX-62]', () => {
    for (const name of ['waitingForUser', 'callingModel, fresh', 'executingTools, running'] as const) {
      const run = runEvents(createSampleRun(createNexoraSession(), name), haltRequested('same error again'));
      expect(requireTurn(run, 'halted').haltReason).toEqual({
        kind: 'requested',
        reason: 'same error again',
        rule: null,
      });
    }
  });

  it('that asks to halt halts at once, in the middle of the work [RN-02, NEX-104]', () => {
    const run = runEvents(createNexoraSession(), ...readingEvents, verdictReached('halt'));
    expect(listStatusPath(run)).toEqual(['executingTools', 'halted']);
    expect(listActionTypes(run)).toEqual(['abort', 'stop']);
    expect(requireTurn(run, 'halted').haltReason).toMatchObject({ kind: 'stuck', rule: 'rule-halt' });
  });
});

describe('phases', () => {
  it('completed during the work pass through phaseTransition at the next check [NEX-14, NEX-16]', () => {
    const run = runEvents(
      createNexoraSession(),
      phaseStarted(1),
      ...readingEvents,
      phaseStarted(2),
      toolFinished('a'),
    );
    expect(listStatusPath(run)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'callingModel',
    ]);
    expect(run.session.phases).toMatchObject({
      current: { number: 2 },
      completed: [{ number: 1, success: true }],
    });
  });

  it('lead to idle, or with a message straight to the prompt [RN-09, NEX-17]', () => {
    expect(listStatusPath(runEvents(createNexoraSession(), phaseStarted(1)))).toEqual([
      'waitingForUser',
      'phaseTransition',
      'waitingForUser',
    ]);
    const run = runEvents(createNexoraSession(), phaseStarted(1, 'begin'));
    expect(listStatusPath(run)).toEqual(['waitingForUser', 'phaseTransition', 'callingModel']);
    expect(run.notes).toContainEqual({ type: 'phase-started', at: 10, number: 1, description: 'part 1' });
    expect(toItemArray(requireAction(run, 'ask-model').conversation)).toEqual([
      { role: 'user', at: 10, text: 'begin' },
    ]);
  });

  it('may follow each other within one transition [RN-09]', () => {
    const run = runEvents(
      createNexoraSession(),
      ...readingEvents,
      phaseStarted(1),
      phaseStarted(2),
      phaseStarted(3),
      toolFinished('a'),
    );
    expect(listStatusPath(run).filter((status) => status === 'phaseTransition')).toHaveLength(3);
    expect(run.session.phases.completed.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('reset the error tracking: recoveries are counted from zero [NEX-05, NEX-15, NEX-117]', () => {
    const first = runEvents(
      createNexoraSession(),
      ...stuckEvents,
      recoveryFinished(),
      modelReplied('', createCall('a')),
    );
    expect(first.session.governor.recoveries).toBe(1);
    const restarted = runEvents(first, phaseStarted(2));
    expect(restarted.session.governor.recoveries).toBe(0);
    expect(
      requireAction(runEvents(restarted, verdictReached('recover'), toolFinished('a')), 'recover').attempt,
    ).toBe(1);
  });
});
