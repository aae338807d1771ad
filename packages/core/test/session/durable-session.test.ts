import { describe, expect, it } from 'vitest';
import { toDurableSession, eventTypes, isEphemeralEvent, replay } from '../../src/index.ts';
import {
  createCall,
  cancelRequested,
  haltRequested,
  eventSamples,
  pauseRequested,
  modelReplied,
  toolProgressed,
  userMessage,
  shutdownRequested,
  toolStarted,
  textDelta,
  callDelta,
} from '../helpers/event-builders.ts';
import { createSampleRun, sampleNames } from '../helpers/sample-runs.ts';
import { createProfileSession, runEvents, requireTurn, type EventRun } from '../helpers/run-events.ts';

const initialSession = createProfileSession('pawl');
const callingRun = runEvents(initialSession, userMessage());
const runningRun = runEvents(
  callingRun,
  modelReplied('', createCall('a'), createCall('b')),
  toolStarted('b'),
);

/** The same events as a store returns them. */
const replayDurable = (run: EventRun) =>
  replay(
    initialSession,
    run.events.filter((event) => !isEphemeralEvent(event)),
  );

describe('ephemeral events', () => {
  it('are deltas and tool progress', () => {
    const ephemeral = eventTypes.filter((type) => isEphemeralEvent({ at: 0, ...eventSamples[type] }));
    expect(ephemeral).toEqual(['text-delta', 'call-delta', 'tool-progressed']);
  });

  it.each(sampleNames)('in %s change no durable state, and are not counted', (name) => {
    const before = createSampleRun(initialSession, name);
    for (const event of [textDelta(), callDelta(), toolProgressed('a')]) {
      const { session } = runEvents(before, event);
      expect(session.seq).toBe(before.session.seq);
      expect(toDurableSession(session)).toStrictEqual(toDurableSession(before.session));
    }
  });

  it.each([
    ['cancelled', cancelRequested()],
    ['halted', haltRequested()],
    ['shut down', shutdownRequested()],
  ])('do not affect the results the model receives for tools that are %s', (_, end) => {
    const run = runEvents(runningRun, toolProgressed('a'), toolProgressed('b'), end);
    expect(replayDurable(run)).toStrictEqual(run.session);
  });
});

describe('toDurableSession', () => {
  it('drops the streaming flag', () => {
    expect(toDurableSession(runEvents(callingRun, textDelta()).session)).toStrictEqual(callingRun.session);
  });

  it('drops tool progress, and a running status that only progress indicates', () => {
    const run = runEvents(runningRun, toolProgressed('a'), toolProgressed('b', 'all but done'));
    expect(requireTurn(run, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: null, progress: 'half way' },
      { status: 'running', startedAt: 30, progress: 'all but done' },
    ]);
    expect(toDurableSession(run.session)).toStrictEqual(runningRun.session);
  });

  it('applies to the state held by a pause', () => {
    const paused = runEvents(callingRun, pauseRequested());
    expect(toDurableSession(runEvents(paused, textDelta()).session)).toStrictEqual(paused.session);
  });

  it.each(sampleNames)('of %s equals the replay of its durable events', (name) => {
    const run = createSampleRun(initialSession, name);
    expect(toDurableSession(run.session)).toStrictEqual(replayDurable(run));
  });
});
