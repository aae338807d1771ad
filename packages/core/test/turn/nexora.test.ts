import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationOf, taken, toArray, type Settings } from '../../src/index.ts';
import {
  allows,
  asksToFinish,
  broke,
  call,
  cancels,
  denies,
  endsPhase,
  fails,
  finishes,
  halts,
  hooksFail,
  judged,
  recovers,
  replies,
  retryIsDue,
  says,
  startsPhase,
  worked,
  writes,
} from '../helpers/happenings.ts';
import { edgesOf, nexoraStates, validEdges, type Edge } from '../helpers/nexora.ts';
import { sample } from '../helpers/samples.ts';
import {
  actionOf,
  actionTypes,
  path,
  refusal,
  sessionOf,
  tell,
  turnIn,
  type Happening,
} from '../helpers/tell.ts';
import { walks } from '../helpers/walk.ts';

const nexora = (settings: Partial<Settings> = {}) => sessionOf('nexora', { settings });

type Tale = { readonly events: readonly Happening[]; readonly settings?: Partial<Settings> };

const streaming = [says(), writes()];
const reading = [...streaming, replies('', call('a'))];
const asking = [...streaming, replies('', call('a', 'bash', 'ask'))];
const stuck = [...reading, judged('recover'), finishes('a', broke())];

/** For every edge of the table the events that lead along it; the last one goes along it. */
const tales: { readonly [Each in Edge]?: Tale } = {
  'Idle → ProcessingPrompt': { events: [says()] },
  'Idle → PhaseTransition': { events: [startsPhase(1)] },
  'Idle → Halted': { events: [halts()] },
  'ProcessingPrompt → StreamingResponse': { events: [says(), writes()] },
  'ProcessingPrompt → ErrorRecovery': { events: [says(), fails()] },
  'ProcessingPrompt → Halted': { events: [says(), halts()] },
  'ProcessingPrompt → ProcessingPrompt': { events: [says(), says('and another thing')] },
  'StreamingResponse → ExecutingTool': { events: reading },
  'StreamingResponse → AwaitingPermission': { events: asking },
  'StreamingResponse → ProgressCheck': { events: [...streaming, asksToFinish(), replies('', call('a'))] },
  'StreamingResponse → Idle': { events: [...streaming, replies('done')] },
  'StreamingResponse → ErrorRecovery': { events: [...streaming, fails()] },
  'StreamingResponse → Halted': { events: [...streaming, halts()] },
  'ExecutingTool → StreamingResponse': {
    settings: { progressCheck: false },
    events: [...reading, finishes('a')],
  },
  'ExecutingTool → ProgressCheck': { events: [...reading, finishes('a')] },
  'ExecutingTool → ErrorRecovery': {
    events: [...streaming, replies('', call('a', 'bash')), finishes('a'), hooksFail()],
  },
  'ExecutingTool → Halted': { events: [...reading, halts()] },
  'AwaitingPermission → StreamingResponse': { events: [...asking, denies('a')] },
  'AwaitingPermission → ExecutingTool': { events: [...asking, allows('a')] },
  'AwaitingPermission → Idle': { events: [...asking, cancels()] },
  'AwaitingPermission → Halted': { events: [...asking, halts()] },
  'ErrorRecovery → StreamingResponse': { events: [says(), fails(), retryIsDue()] },
  'ErrorRecovery → ExecutingTool': {
    events: [...stuck, recovers({ kind: 'run-tools', calls: [call('w', 'write')] })],
  },
  'ErrorRecovery → ProgressCheck': { events: [...stuck, recovers({ kind: 'check' })] },
  'ErrorRecovery → Idle': { events: [...stuck, recovers({ kind: 'give-up', reason: 'no way out' })] },
  'ErrorRecovery → Halted': { events: [...stuck, recovers({ kind: 'halt', reason: 'no way out' })] },
  'PhaseTransition → ProcessingPrompt': { events: [startsPhase(1, 'begin')] },
  'PhaseTransition → ProgressCheck': { events: [...reading, startsPhase(1), finishes('a')] },
  'PhaseTransition → PhaseTransition': {
    events: [...reading, startsPhase(1), startsPhase(2), finishes('a')],
  },
  'PhaseTransition → Idle': { events: [startsPhase(1)] },
  'PhaseTransition → Halted': {
    settings: { haltOnFailedPhase: true },
    events: [startsPhase(1), endsPhase(false)],
  },
  'ProgressCheck → StreamingResponse': { events: [...reading, finishes('a')] },
  'ProgressCheck → ExecutingTool': { events: [...reading, judged('run'), finishes('a')] },
  'ProgressCheck → PhaseTransition': { events: [...reading, startsPhase(1), finishes('a')] },
  'ProgressCheck → ErrorRecovery': { events: stuck },
  'ProgressCheck → Idle': { events: [...reading, finishes('a', worked('all done', true))] },
  'ProgressCheck → Halted': { settings: { maxRecoveries: 0 }, events: stuck },
};

function edgesAlong({ events, settings }: Tale): readonly (readonly Edge[])[] {
  const last = events.at(-1);
  if (last === undefined) return [];
  const before = tell(nexora(settings), ...events.slice(0, -1));
  const after = tell(before, last);
  const [event] = after.events.slice(-1);
  return event === undefined ? [] : edgesOf({ before: before.session, event, after });
}

describe('the table of valid moves [RN-11, NEX-46, NEX-88]', () => {
  it('has a tale for every edge', () => {
    expect(Object.keys(tales).toSorted()).toEqual(validEdges.toSorted());
  });

  it.each(Object.entries(tales))('%s', (edge, tale) => {
    expect(edgesAlong(tale).flat()).toContain(edge);
  });

  it('is told through all nine states [NEX-47, NEX-48, NEX-49, NEX-50, NEX-51, NEX-52, NEX-53, NEX-54, NEX-55]', () => {
    const reached = Object.values(tales).flatMap(edgesAlong).flat();
    const states = new Set(reached.flatMap((edge) => edge.split(' → ')));
    expect([...states].toSorted()).toEqual(nexoraStates.toSorted());
  });

  it.each([{}, { haltOnFailedPhase: true }, { maxRetries: 1, maxRecoveries: 1 }])(
    'is never left, whatever happens, with %j [RN-11, NEX-88]',
    (settings) => {
      fc.assert(
        fc.property(walks({ profile: 'nexora', settings }), ({ strides }) => {
          for (const stride of strides) {
            for (const edges of edgesOf(stride)) {
              const isStay = edges.some((edge) => isSame(edge));
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

function isSame(edge: Edge): boolean {
  const [from, to] = edge.split(' → ');
  return from === to;
}

describe('the loop', () => {
  it('goes from idle through prompt, response and tools back to idle [NEX-07, NEX-08, NEX-09, NEX-10, NEX-11, NEX-12, NEX-59, NEX-100, NEX-101, NEX-105, NEX-106, NEX-107]', () => {
    const told = tell(nexora(), ...reading, finishes('a'), writes(), replies('done'));
    const edges = told.steps.flatMap((after, index) => {
      const event = told.events[index];
      const before = told.steps[index - 1]?.session ?? nexora();
      return event === undefined ? [] : edgesOf({ before, event, after });
    });
    expect(edges.flat().filter((edge) => !isSame(edge) && validEdges.includes(edge))).toEqual([
      'Idle → ProcessingPrompt',
      'ProcessingPrompt → StreamingResponse',
      'StreamingResponse → ExecutingTool',
      'ExecutingTool → ProgressCheck',
      'ProgressCheck → StreamingResponse',
      'StreamingResponse → Idle',
    ]);
  });

  it('refuses what the table does not allow with an error, and stays [NEX-19, RX-03]', () => {
    const before = tell(nexora(), says());
    const told = tell(before, finishes('a'));
    expect(taken(told)).toEqual({ ok: false, state: 'callingModel', error: 'the model is being asked' });
    expect(told.actions).toEqual([
      { type: 'show-error', kind: 'refused', message: 'the model is being asked' },
      { type: 'wait', until: null },
    ]);
    expect(told.session).toBe(before.session);
  });

  it('tolerates a second prompt while the first is processed, and keeps the first [RN-10]', () => {
    const told = tell(nexora(), says('one'), says('two'), replies('done'));
    expect(refusal(told.steps[1] ?? told)).toBeDefined();
    expect(
      toArray(conversationOf(told.session)).map((message) => message.role !== 'tool' && message.text),
    ).toEqual(['one', 'done']);
  });

  it('is idle at the end of every run, also when the run failed [RN-10, NEX-107]', () => {
    const failing = tell(nexora(), says(), fails({ retryable: false }));
    expect(failing.session.turn.status).toBe('waitingForUser');
    expect(actionTypes(failing)).toEqual(['show-error']);
  });
});

describe('a stuck verdict', () => {
  it('after a tool leads to recovery, with the attempt and the verdict [NEX-13, RN-02]', () => {
    const told = tell(nexora(), ...stuck);
    expect(path(told)).toEqual(['executingTools', 'progressCheck', 'errorRecovery']);
    expect(actionOf(told, 'recover')).toMatchObject({ attempt: 1, verdict: { rule: 'rule-recover' } });
  });

  it('is recovered from a bounded number of times, then halts with its reason [RN-02, NEX-104, NEX-55]', () => {
    let told = tell(nexora(), ...reading);
    for (const attempt of [1, 2, 3]) {
      told = tell(told, judged('recover'), finishes('a', broke(`in way ${attempt}`)));
      expect(actionOf(told, 'recover').attempt).toBe(attempt);
      told = tell(told, recovers(), replies('', call('a')));
    }
    told = tell(told, judged('recover'), finishes('a', broke('in yet another way')));
    const why = { kind: 'stuck', reason: 'because recover', rule: 'rule-recover' };
    expect(turnIn(told, 'halted').why).toEqual(why);
    expect(told.actions).toEqual([{ type: 'stop', why }]);
  });

  it('may be taken as the end by the caller, who halts from any state [RN-02, NEX-62]', () => {
    for (const name of ['waitingForUser', 'callingModel, fresh', 'executingTools, running'] as const) {
      const told = tell(sample(nexora(), name), halts('same error again'));
      expect(turnIn(told, 'halted').why).toEqual({
        kind: 'requested',
        reason: 'same error again',
        rule: null,
      });
    }
  });

  it('that asks to halt halts at once, in the middle of the work [RN-02, NEX-104]', () => {
    const told = tell(nexora(), ...reading, judged('halt'));
    expect(path(told)).toEqual(['executingTools', 'halted']);
    expect(actionTypes(told)).toEqual(['abort', 'stop']);
    expect(turnIn(told, 'halted').why).toMatchObject({ kind: 'stuck', rule: 'rule-halt' });
  });
});

describe('phases', () => {
  it('completed during the work pass through phaseTransition at the next check [NEX-14, NEX-16]', () => {
    const told = tell(nexora(), startsPhase(1), ...reading, startsPhase(2), finishes('a'));
    expect(path(told)).toEqual([
      'executingTools',
      'progressCheck',
      'phaseTransition',
      'progressCheck',
      'callingModel',
    ]);
    expect(told.session.phases).toMatchObject({
      current: { number: 2 },
      completed: [{ number: 1, success: true }],
    });
  });

  it('lead to idle, or with a message straight to the prompt [RN-09, NEX-17]', () => {
    expect(path(tell(nexora(), startsPhase(1)))).toEqual([
      'waitingForUser',
      'phaseTransition',
      'waitingForUser',
    ]);
    const told = tell(nexora(), startsPhase(1, 'begin'));
    expect(path(told)).toEqual(['waitingForUser', 'phaseTransition', 'callingModel']);
    expect(told.notes).toContainEqual({ type: 'phase-started', at: 10, number: 1, description: 'part 1' });
    expect(toArray(actionOf(told, 'ask-model').conversation)).toEqual([
      { role: 'user', at: 10, text: 'begin' },
    ]);
  });

  it('may follow on each other within one transition [RN-09]', () => {
    const told = tell(nexora(), ...reading, startsPhase(1), startsPhase(2), startsPhase(3), finishes('a'));
    expect(path(told).filter((status) => status === 'phaseTransition')).toHaveLength(3);
    expect(told.session.phases.completed.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('reset the tracking of errors: recoveries start afresh [NEX-05, NEX-15, NEX-117]', () => {
    const once = tell(nexora(), ...stuck, recovers(), replies('', call('a')));
    expect(once.session.governor.recoveries).toBe(1);
    const fresh = tell(once, startsPhase(2));
    expect(fresh.session.governor.recoveries).toBe(0);
    expect(actionOf(tell(fresh, judged('recover'), finishes('a')), 'recover').attempt).toBe(1);
  });
});
