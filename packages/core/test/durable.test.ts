import { describe, expect, it } from 'vitest';
import { durableView, eventTypes, isEphemeral, replay } from '../src/index.ts';
import {
  call,
  cancels,
  halts,
  oneOfEach,
  pauses,
  replies,
  reports,
  says,
  shutsDown,
  starts,
  writes,
  writesCall,
} from './helpers/happenings.ts';
import { sample, sampleNames } from './helpers/samples.ts';
import { sessionOf, tell, turnIn, type Told } from './helpers/tell.ts';

const start = sessionOf('pawl');
const asked = tell(start, says());
const running = tell(asked, replies('', call('a'), call('b')), starts('b'));

/** The same tale as a store would tell it. */
const restored = (told: Told) =>
  replay(
    start,
    told.events.filter((event) => !isEphemeral(event)),
  );

describe('ephemeral events', () => {
  it('are the deltas and the progress of tools', () => {
    const ephemeral = eventTypes.filter((type) => isEphemeral({ at: 0, ...oneOfEach[type] }));
    expect(ephemeral).toEqual(['text-delta', 'call-delta', 'tool-progressed']);
  });

  it.each(sampleNames)('in %s change nothing durable, and are not counted', (name) => {
    const before = sample(start, name);
    for (const happening of [writes(), writesCall(), reports('a')]) {
      const { session } = tell(before, happening);
      expect(session.seq).toBe(before.session.seq);
      expect(durableView(session)).toStrictEqual(durableView(before.session));
    }
  });

  it.each([
    ['cancelled', cancels()],
    ['halted', halts()],
    ['shut down', shutsDown()],
  ])('leave no trace in what the model is told of tools that are %s', (_, end) => {
    const told = tell(running, reports('a'), reports('b'), end);
    expect(restored(told)).toStrictEqual(told.session);
  });
});

describe('durableView', () => {
  it('forgets that text streams', () => {
    expect(durableView(tell(asked, writes()).session)).toStrictEqual(asked.session);
  });

  it('forgets how far a tool is, and that it runs when nothing else says so', () => {
    const told = tell(running, reports('a'), reports('b', 'all but done'));
    expect(turnIn(told, 'executingTools').executions).toMatchObject([
      { status: 'running', startedAt: null, progress: 'half way' },
      { status: 'running', startedAt: 30, progress: 'all but done' },
    ]);
    expect(durableView(told.session)).toStrictEqual(running.session);
  });

  it('looks into a pause', () => {
    const paused = tell(asked, pauses());
    expect(durableView(tell(paused, writes()).session)).toStrictEqual(paused.session);
  });

  it.each(sampleNames)('of %s is what replaying its durable events gives', (name) => {
    const told = sample(start, name);
    expect(durableView(told.session)).toStrictEqual(restored(told));
  });
});
