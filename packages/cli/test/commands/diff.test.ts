import { createSession, replay, type Event } from '@pawl/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  keepRun,
  lines,
  look,
  makePlace,
  plainRun,
  put,
  say,
  stuckRun,
  type Place,
} from './kept-sessions.ts';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

const outcome = async (...args: readonly string[]): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const [told] = await place.json('diff', ...args);
  const rows = told?.['outcomes'] as readonly { what: string; a: unknown; b: unknown; same: boolean }[];
  return Object.fromEntries(rows.filter(({ same }) => !same).map(({ what, a, b }) => [what, [a, b]]));
};

const withIds = (prefix: string) => ({
  ...plainRun,
  id: prefix,
  replies: [
    { text: 'I look.', calls: [{ id: `${prefix}-1`, tool: 'look', args: { at: 'roof' } }] },
    put('roof.txt', 'tiles'),
    say('Done.'),
  ],
});

async function keepFailure(
  id: string,
  { jitter, message }: { readonly jitter: number; readonly message: string },
): Promise<void> {
  const session = createSession({ id, at: 0 });
  const events: readonly Event[] = [
    { type: 'user-message', at: 1, text: 'Go' },
    { type: 'model-failed', at: 2, jitter, error: { kind: 'overloaded', message } },
  ];
  const position = await place.store.create(session, 'a test', { about: { dir: place.dir } });
  await place.store.append(id, position, events, replay(session, events));
}

describe('pawl diff', () => {
  it('finds two runs the same that differ in nothing but times, dice and the ids of calls', async () => {
    await keepRun(place, withIds('a'));
    await keepRun(place, { ...withIds('b'), start: 1_800_000_000_000 });
    expect((await place.pawl('diff', 'a', 'b')).out).toContain('They are the same, times aside: 8 events.');
    expect(await outcome('a', 'b')).toEqual({});
  });

  it('pays no attention to the dice of a retry, but to everything else that an event says', async () => {
    await keepFailure('a', { jitter: 0.1, message: 'busy' });
    await keepFailure('b', { jitter: 0.9, message: 'busy' });
    await keepFailure('c', { jitter: 0.1, message: 'very busy' });
    expect(await place.json('diff', 'a', 'b')).toMatchObject([{ common: 2, next: { a: null, b: null } }]);
    expect(await place.json('diff', 'a', 'c')).toMatchObject([{ common: 1, next: { a: { jitter: 0.1 } } }]);
    expect((await place.pawl('diff', 'a', 'c')).out).toContain(
      'The first event is the same, times aside; then they part:',
    );
  });

  it('shows where two runs part, and what came of that', async () => {
    await keepRun(place, { ...plainRun, id: 'tiles' });
    await keepRun(place, {
      ...plainRun,
      id: 'straw',
      about: { dir: place.dir, model: 'other' },
      replies: [look('roof'), put('straw.txt', 'straw'), look('roof'), say('The roof is straw.')],
    });
    const [told] = await place.json('diff', 'tiles', 'straw');
    expect(told).toMatchObject({
      type: 'diff',
      a: 'tiles',
      b: 'straw',
      common: 4,
      next: {
        a: { type: 'model-replied', calls: [{ args: { text: 'tiles' } }] },
        b: { type: 'model-replied', calls: [{ args: { text: 'straw' } }] },
      },
    });
    expect(await outcome('tiles', 'straw')).toEqual({
      model: ['scripted', 'other'],
      events: [8, 11],
      steps: [3, 4],
      'tool calls': [2, 3],
      'files changed': ['roof.txt', 'straw.txt'],
      answer: ['The roof is mended.', 'The roof is straw.'],
    });
    const text = lines((await place.pawl('diff', 'tiles', 'straw')).out);
    expect(text).toContain('The first 4 events are the same, times aside; then they part:');
    expect(text.find((line) => line.startsWith('event 5'))).toMatch(/model-replied .* {2}model-replied /);
    expect(text.find((line) => line.startsWith('≠ answer'))).toMatch(
      /The roof is mended\. +The roof is straw\.$/,
    );
    expect(text.find((line) => line.startsWith('  profile'))).toMatch(/pawl +pawl$/);
  });

  it('tells which of two ends first, and of settings that differ', async () => {
    await keepRun(place, { ...stuckRun, id: 'whole' });
    const [made] = await place.json('fork', 'whole', '--at', '5');
    const part = String(made?.['id']);
    expect((await place.pawl('diff', 'whole', part)).out).toContain(
      'The first 5 events are the same, times aside; the second ends there:',
    );
    expect((await place.pawl('diff', part, 'whole')).out).toContain('the first ends there:');
    expect((await outcome('whole', part))['status']).toEqual(['halted', 'runs tools']);
    await keepRun(place, { ...stuckRun, id: 'patient', settings: { maxRetries: 9 } });
    expect(await outcome('whole', 'patient')).toEqual({ settings: ['maxRetries', 'differ'] });
    expect((await place.pawl('diff', 'whole', 'nobody')).code).toBe(2);
  });
});
