import { createSession, findProfile, type Event, type SessionOptions } from '@pawl/core';
import { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';

/** An event without the time it came at. */
export type UntimedEvent = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

/** A track of a session that the given events happened to, one every second. */
export function createTimeline(
  events: readonly UntimedEvent[],
  options: Partial<SessionOptions> = {},
): ReplayedTimeline {
  const track = new ReplayedTimeline(createSession({ id: 's', at: 0, ...options }));
  track.add(
    events.map((event, index) => ({ seq: index + 1, event: { ...event, at: (index + 1) * 1_000 } as Event })),
  );
  return track;
}

export const goalEvent: UntimedEvent = { type: 'user-message', text: 'find the bug' };

export function createToolReply(tool: string, args: { readonly [name: string]: string } = {}): UntimedEvent {
  return {
    type: 'model-replied',
    text: '',
    calls: [{ id: 'c', tool, args }],
    usage: { inputTokens: 100, outputTokens: 10 },
  };
}

export function createAnswerReply(text: string): UntimedEvent {
  return { type: 'model-replied', text, calls: [], usage: { inputTokens: 200, outputTokens: 20 } };
}

export function createToolEvents(output: string, callId = 'c'): readonly UntimedEvent[] {
  return [
    { type: 'tool-started', callId },
    { type: 'tool-finished', callId, outcome: { ok: true, output } },
  ];
}

/** A model that reads one file again and again until the governor has it answer. */
export const stuckRunEvents: readonly UntimedEvent[] = [
  goalEvent,
  ...Array.from({ length: 4 }, () => [
    createToolReply('read', { path: 'a.ts' }),
    ...createToolEvents('same old text'),
  ]).flat(),
  createAnswerReply('I could not find it.'),
];

/** Settings of a profile that is built in. */
export function getProfileOptions(profile: string): Partial<SessionOptions> {
  const found = findProfile(profile);
  if (found === undefined) throw new Error(`There is no profile ${profile}.`);
  return { profile, settings: found.settings };
}
