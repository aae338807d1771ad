import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes, getConversation, isEphemeralEvent, toItemArray } from '../../src/index.ts';
import {
  describeEvent,
  getItemTopic,
  isFailedItem,
  isTimelineItem,
  listAddedMessages,
  listTranscriptItems,
  summarizeItem,
  type TranscriptItem,
} from '../../src/projections-entry.ts';
import {
  createCall,
  eventSamples,
  failureOutcome,
  haltRequested,
  modelFailed,
  modelReplied,
  permissionDenied,
  phaseCompleted,
  phaseStarted,
  retryDue,
  successOutcome,
  toolFinished,
  toolStarted,
  userMessage,
  userSteered,
  verdictReached,
} from '../helpers/event-builders.ts';
import { createWalkArbitrary } from '../helpers/random-walk.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { replayTestEvents } from './replay-test-events.ts';

function listItems(...events: readonly UntimedEvent[]): readonly TranscriptItem[] {
  return replayTestEvents(events).flatMap(listTranscriptItems);
}

function listTimeline(...events: readonly UntimedEvent[]): readonly string[] {
  return listItems(...events)
    .filter(isTimelineItem)
    .map(
      (item) => `${item.seq} ${getItemTopic(item)}${isFailedItem(item) ? '!' : ''} ${summarizeItem(item)}`,
    );
}

describe('the transcript', () => {
  it('follows a call from the reply to its result', () => {
    const items = listItems(
      userMessage('Go'),
      modelReplied('I look.', createCall('a')),
      toolStarted('a'),
      toolFinished('a', successOutcome('text')),
      modelReplied('Done.'),
    );
    expect(items.map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
      '1 message',
      '1 delivered-message',
      '2 reply',
      '2 call',
      '3 tool-start',
      '4 tool-result',
      '4 delivered-result',
      '5 reply',
    ]);
    expect(items[5]).toMatchObject({ call: { tool: 'read', args: { path: 'a.txt' } }, tookMs: 10 });
    expect(items[7]).toMatchObject({ text: 'Done.', spokenLines: ['Done.'], tookMs: 10 });
  });

  it('says how long the session waited, and whether a failure is retried', () => {
    expect(listTimeline(userMessage('Go'), modelFailed(), retryDue(), modelReplied('Yes.'))).toEqual([
      '1 user Go',
      '2 model! overloaded: too busy',
      '3 wait before trying again',
      '4 model Yes.',
    ]);
    const [failure] = listItems(userMessage('Go'), modelFailed()).filter(
      ({ kind }) => kind === 'model-failure',
    );
    expect(failure).toMatchObject({ tookMs: 10, retry: { retries: 1 } });
    const fatal = listItems(userMessage('Go'), modelFailed({ kind: 'auth', retryable: false }));
    expect(fatal.find(({ kind }) => kind === 'model-failure')).toMatchObject({ retry: null });
    expect(fatal.at(-1)).toMatchObject({ kind: 'error', errorKind: 'auth' });
  });

  it('delivers steering with the next model call', () => {
    const items = listItems(
      userMessage('Go'),
      modelReplied('', createCall('a')),
      toolStarted('a'),
      userSteered('Faster'),
      toolFinished('a'),
    );
    const messages = items.filter(({ kind }) => kind === 'message' || kind === 'delivered-message');
    expect(messages.map((item) => `${item.seq} ${item.kind} ${summarizeItem(item)}`)).toEqual([
      '1 message Go',
      '1 delivered-message Go',
      '4 message Faster',
      '5 delivered-message Faster',
    ]);
  });

  it('reports a denied call with its tool, and its result', () => {
    const items = listItems(
      userMessage('Go'),
      modelReplied('', createCall('a', 'shell', 'ask')),
      permissionDenied('a', 'not today'),
    );
    expect(items.find(({ kind }) => kind === 'permission')).toMatchObject({
      call: { tool: 'shell' },
      isAllowed: false,
      reason: 'not today',
    });
    expect(items.at(-1)).toMatchObject({ kind: 'delivered-result', outcome: { ok: false } });
  });

  it('lists a reported verdict once, and the phases and the end', () => {
    expect(
      listTimeline(
        userMessage('Go'),
        verdictReached('advise'),
        phaseStarted(1),
        phaseCompleted(false),
        haltRequested('enough'),
      ),
    ).toEqual([
      '1 user Go',
      '2 verdict advise by rule-advise: because advise',
      '3 phase phase 1 started: part 1',
      '4 phase! phase 1 failed',
      '5 session halt requested: enough',
    ]);
    expect(listItems(userMessage('Go'), haltRequested('enough')).at(-1)).toMatchObject({
      kind: 'halt',
      haltReason: { kind: 'requested', reason: 'enough' },
    });
  });

  it('contains nothing of a refused event', () => {
    expect(listItems(toolFinished('a', failureOutcome()))).toEqual([]);
    expect(listItems(verdictReached('advise'))).toEqual([]);
  });

  it('describes every event without its session', () => {
    for (const type of eventTypes) expect(describeEvent({ at: 1, ...eventSamples[type] })).not.toBe('');
  });

  it('delivers every message of the conversation, for any events', () => {
    fc.assert(
      fc.property(createWalkArbitrary({ maxLength: 60 }), ({ start, steps, end }) => {
        const replayed = steps.map((each) => ({ ...each, seq: each.after.session.seq }));
        const items = replayed.flatMap(listTranscriptItems);
        expect(items.every((item) => typeof summarizeItem(item) === 'string')).toBe(true);
        const isCompacted = steps.some(
          ({ before, after }) => getConversation(after.session).length < getConversation(before).length,
        );
        if (isCompacted) return;
        const added = replayed.flatMap(({ before, after }) => listAddedMessages(before, after.session));
        expect(added).toEqual(toItemArray(getConversation(end)).slice(getConversation(start).length));
        const results = items.filter(({ kind }) => kind === 'delivered-result');
        expect(results).toHaveLength(added.filter(({ role }) => role === 'tool').length);
      }),
    );
  });

  it('has items for every accepted durable event besides those of phases', () => {
    fc.assert(
      fc.property(createWalkArbitrary({ maxLength: 60 }), ({ steps }) => {
        for (const each of steps) {
          const isRefused = each.after.notes.some(({ type }) => type === 'refused');
          if (isRefused || isEphemeralEvent(each.event)) continue;
          if (each.event.type.startsWith('phase-')) continue;
          expect(listTranscriptItems({ ...each, seq: 1 }), each.event.type).not.toEqual([]);
        }
      }),
    );
  });
});

it('loses no message when the conversation starts a new leaf', () => {
  const events = Array.from({ length: 200 }, (_, index) => [
    userMessage(`question ${index}`),
    modelReplied('', ...[1, 2, 3].map((number) => createCall(`${index}-${number}`))),
    ...[1, 2, 3].map((number) => toolFinished(`${index}-${number}`, successOutcome(index * 10 + number))),
    modelReplied('done'),
  ]).flat();
  const steps = replayTestEvents(events, { settings: { governor: { preset: 'none', rules: {} } } });
  const added = steps.flatMap(({ before, after }) => listAddedMessages(before, after.session));
  const end = steps.at(-1)?.after.session;
  if (end === undefined) throw new Error('Expected steps.');
  expect(added).toEqual(toItemArray(getConversation(end)));
  expect(added).toHaveLength(1_200);
});
