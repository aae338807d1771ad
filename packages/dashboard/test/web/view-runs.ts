import { createSession, findProfile, type Event, type SessionOptions } from '@pawl/core';
import { Track } from '../../web/app/track.ts';

/** An event without the time it came at. */
export type Untimed = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

/** A track of a session that the given events happened to, one every second. */
export function trackOf(events: readonly Untimed[], options: Partial<SessionOptions> = {}): Track {
  const track = new Track(createSession({ id: 's', at: 0, ...options }));
  track.add(
    events.map((event, index) => ({ seq: index + 1, event: { ...event, at: (index + 1) * 1_000 } as Event })),
  );
  return track;
}

export const goal: Untimed = { type: 'user-message', text: 'find the bug' };

export function asks(tool: string, args: { readonly [name: string]: string } = {}): Untimed {
  return {
    type: 'model-replied',
    text: '',
    calls: [{ id: 'c', tool, args }],
    usage: { inputTokens: 100, outputTokens: 10 },
  };
}

export function answers(text: string): Untimed {
  return { type: 'model-replied', text, calls: [], usage: { inputTokens: 200, outputTokens: 20 } };
}

export function gives(output: string, callId = 'c'): readonly Untimed[] {
  return [
    { type: 'tool-started', callId },
    { type: 'tool-finished', callId, outcome: { ok: true, output } },
  ];
}

/** A model that reads one file again and again until the governor has it answer. */
export const stuckRun: readonly Untimed[] = [
  goal,
  ...Array.from({ length: 4 }, () => [asks('read', { path: 'a.ts' }), ...gives('same old text')]).flat(),
  answers('I could not find it.'),
];

/** Settings of a profile that is built in. */
export function settingsOf(profile: string): Partial<SessionOptions> {
  const found = findProfile(profile);
  if (found === undefined) throw new Error(`There is no profile ${profile}.`);
  return { profile, settings: found.settings };
}
