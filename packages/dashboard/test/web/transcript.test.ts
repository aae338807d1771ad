import { createSession, step, type Event, type SessionOptions } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { ReplayedTimeline } from '../../web/app/replayed-timeline.ts';
import {
  TranscriptProjection,
  type ToolCard,
  type TranscriptEntry,
} from '../../web/views/transcript/transcript-model.ts';
import { createLongRun } from './long-run.ts';

describe('the transcript', () => {
  it('lists messages, replies and calls in order', () => {
    const { transcript } = readTranscript(...oneTurn);
    expect(transcript.items.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['message', 1],
      ['reply', 2],
      ['call', 2],
      ['reply', 6],
    ]);
  });

  it('follows a call from the approval request to its result', () => {
    const { transcript } = readTranscript(...oneTurn);
    const [card] = selectToolCards(transcript.items);
    expect(card).toMatchObject({
      tool: 'edit',
      approvalRequest: { seq: 2, request: 1 },
      decision: { seq: 3, decision: 'allow', reason: 'go on' },
      start: { seq: 4 },
      result: { seq: 5, outcome: { ok: true, output: 'done' }, files: ['a.ts'] },
    });
  });

  it('links each reply to the event that caused the request', () => {
    const { transcript } = readTranscript(...oneTurn);
    expect(transcript.items.filter(({ kind }) => kind === 'reply')).toMatchObject([
      { requestSeq: 1, attempt: 1, usage: { inputTokens: 5, outputTokens: 2 }, tookMs: 1 },
      { requestSeq: 5, attempt: 1, usage: null },
    ]);
  });

  it('shows the error that the model received for a denied call', () => {
    const deny = { permission: 'deny', denialReason: 'a rule says no' } as const;
    const { transcript } = readTranscript(
      { type: 'user-message', text: 'Go' },
      { type: 'model-replied', text: '', calls: [{ id: 'a', tool: 'shell', args: {}, ...deny }] },
    );
    expect(selectToolCards(transcript.items)[0]?.result).toMatchObject({
      seq: 2,
      outcome: { ok: false, error: { kind: 'denied', message: 'a rule says no' } },
    });
  });

  it('shows the answer of a final tool result', () => {
    const { transcript } = readTranscript(
      { type: 'user-message', text: 'Why?' },
      { type: 'model-replied', text: '', calls: [{ id: 'a', tool: 'finish', args: {} }] },
      {
        type: 'tool-finished',
        callId: 'a',
        outcome: { ok: true, output: { answer: 'Because.' }, final: true },
      },
    );
    expect(transcript.items.at(-1)).toEqual({ kind: 'answer', seq: 3, at: 3, text: 'Because.' });
  });

  it('counts dropped calls of a reply', () => {
    const { transcript } = readTranscript(
      { type: 'user-message', text: 'Go' },
      { type: 'model-replied', text: 'I look.', calls: [{ id: 'a', tool: 'read', args: {} }] },
      { type: 'finish-requested', reason: 'time is up' },
      { type: 'tool-finished', callId: 'a', outcome: { ok: true, output: 'x' } },
      { type: 'model-replied', text: '', calls: [{ id: 'b', tool: 'read', args: {} }] },
    );
    expect(transcript.items.at(-1)).toMatchObject({ kind: 'reply', dropped: 1 });
    expect(transcript.items).toContainEqual(
      expect.objectContaining({ kind: 'notice', title: 'Finish requested' }),
    );
  });

  it('has notices for verdicts, failures and the end', () => {
    const { transcript } = readTranscript(
      { type: 'user-message', text: 'Go' },
      ...[1, 2, 3, 4, 5].flatMap(createFailedRound),
      { type: 'model-failed', error: { kind: 'rate-limit', message: 'slow down' } },
      { type: 'halt-requested', reason: 'enough' },
    );
    const notices = transcript.items.filter((item) => item.kind === 'notice');
    expect(notices.some(({ title, view }) => title.includes('the governor') && view === 'why')).toBe(true);
    expect(notices).toContainEqual(
      expect.objectContaining({ title: 'Model call failed: rate-limit', text: 'slow down' }),
    );
    expect(notices.at(-1)).toMatchObject({ tone: 'halted', title: 'Halted: requested' });
  });

  it('counts the entries up to any event', () => {
    const { created, events } = createLongRun(350);
    const timeline = new ReplayedTimeline(created);
    const transcript = new TranscriptProjection(timeline);
    for (const [index, event] of events.entries()) {
      timeline.add([{ seq: index + 1, event }]);
      transcript.update();
    }
    for (let seq = 0; seq <= 350; seq += 7) {
      expect(transcript.countAt(seq)).toBe(transcript.items.filter((item) => item.seq <= seq).length);
    }
    expect(selectToolCards(transcript.items).every(({ result }) => result !== null)).toBe(true);
  });
});

type UnstampedEvent = Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never;

const oneTurn: readonly UnstampedEvent[] = [
  { type: 'user-message', text: 'Put it right' },
  {
    type: 'model-replied',
    text: 'I will.',
    calls: [{ id: 'a', tool: 'edit', args: { path: 'a.ts' }, permission: 'ask' }],
    usage: { inputTokens: 5, outputTokens: 2 },
  },
  { type: 'permission-decided', callId: 'a', decision: 'allow', reason: 'go on' },
  { type: 'tool-started', callId: 'a' },
  {
    type: 'tool-finished',
    callId: 'a',
    outcome: { ok: true, output: 'done' },
    files: [{ path: 'a.ts', hash: 'h' }],
  },
  { type: 'model-replied', text: 'Done.', calls: [] },
];

function createFailedRound(n: number): readonly UnstampedEvent[] {
  return [
    { type: 'model-replied', text: '', calls: [{ id: `c${n}`, tool: 'read', args: { path: 'x' } }] },
    {
      type: 'tool-finished',
      callId: `c${n}`,
      outcome: { ok: false, error: { kind: 'failed', message: 'no such file' } },
    },
  ];
}

function readTranscript(...events: readonly UnstampedEvent[]): { readonly transcript: TranscriptProjection } {
  const options: SessionOptions = { id: 's', at: 0, settings: { mutatingTools: [] } };
  let session = createSession(options);
  const timeline = new ReplayedTimeline(session);
  for (const unstamped of events) {
    const event = { ...unstamped, at: session.seq + 1 } as Event;
    const after = step(session, event).session;
    // Skip rejected events: a blocked call does not finish.
    if (after.seq === session.seq) continue;
    session = after;
    timeline.add([{ seq: session.seq, event }]);
  }
  return { transcript: new TranscriptProjection(timeline).update() };
}

function selectToolCards(items: readonly TranscriptEntry[]): readonly ToolCard[] {
  return items.filter((item) => item.kind === 'call');
}
