import { createSession, type Event, type SessionOptions } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';

/** An event without its time. */
export type UntimedEvent = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

/** Creates a timeline of the given events, one per second. */
export function createTimeline(
  events: readonly UntimedEvent[],
  options: Partial<SessionOptions> = {},
): ReplayedTimeline {
  const timeline = new ReplayedTimeline(createSession({ id: 's', at: 0, ...options }));
  timeline.add(
    events.map((event, index) => ({ seq: index + 1, event: { ...event, at: (index + 1) * 1_000 } as Event })),
  );
  return timeline;
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

/** The model reads the same file repeatedly until the governor requests the final answer. */
export const stuckRunEvents: readonly UntimedEvent[] = [
  goalEvent,
  ...Array.from({ length: 4 }, () => [
    createToolReply('read', { path: 'a.ts' }),
    ...createToolEvents('same old text'),
  ]).flat(),
  createAnswerReply('I could not find it.'),
];

/** Returns the settings of a built-in profile. */
export function getProfileOptions(profile: string): Partial<SessionOptions> {
  const definition = findProfile(profile);
  if (definition === undefined) throw new Error(`There is no profile ${profile}.`);
  return { profile, settings: definition.settings };
}
