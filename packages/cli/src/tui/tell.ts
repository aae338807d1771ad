import {
  conversationOf,
  toArray,
  type Conversation,
  type Event,
  type Message,
  type Note,
  type Outcome,
  type Session,
} from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import { withCard, withItem, withRemark, withSpeech, withSpoken, type Card, type Story } from './story.ts';

/** Goes on with the story: what an event and all that came of it add to what there is to read. */
export function tell(story: Story, before: Session, seen: Seen): Story {
  let told = ofEvent(story, seen);
  if (seen.session === before) return told;
  for (const message of newMessages(before, seen.session)) told = ofMessage(told, message, seen.event);
  for (const note of seen.notes) told = ofNote(told, note);
  return ofActions(told, seen);
}

/** How many messages of a resumed session are told again. */
const retoldMax = 30;

/** The end of what was said before, for a session that is resumed. */
export function retell(story: Story, session: Session): Story {
  const messages = toArray(conversationOf(session));
  const earlier = messages.length - retoldMax;
  const start =
    earlier > 0 ? withRemark(story, 'quiet', `${earlier} earlier messages are not shown.`) : story;
  return messages.slice(-retoldMax).reduce((told, message) => ofMessage(told, message, null), start);
}

function ofEvent(story: Story, { event, session }: Seen): Story {
  switch (event.type) {
    case 'text-delta':
      return withSpeech(story, event.text);
    case 'tool-started':
      return withCard(story, event.callId, { status: 'running', startedAt: event.at });
    case 'tool-progressed':
      return withCard(story, event.callId, { status: 'running', said: event.progress });
    case 'tool-finished':
      return withAnswer(ended(story, event.callId, event.outcome, event.at), event.outcome);
    case 'permission-decided':
      return event.decision === 'deny'
        ? withCard(story, event.callId, { status: 'denied', said: event.reason ?? '' })
        : story;
    case 'model-failed': {
      const { kind, message } = event.error;
      const isTriedAgain = session.turn.status === 'errorRecovery';
      const broken = withSpoken(story, null);
      return isTriedAgain
        ? withRemark(broken, 'warn', `The model failed (${kind}): ${message} It is asked again.`)
        : broken;
    }
    case 'cancel-requested':
      return withSpoken(story, null);
    case 'model-replied':
      return withSpoken(story, wordsOf(event, session));
    default:
      return story;
  }
}

/** What the model says for itself. A reply that is all protocol says it in its logs. */
function wordsOf(
  { text, logs, problem }: Extract<Event, { readonly type: 'model-replied' }>,
  { settings: { chart } }: Session,
): string {
  if (problem !== undefined) return '';
  const said = chart?.hops.by === 'reply' ? [logs?.think ?? '', logs?.evaluation ?? ''] : [text];
  return said.filter((line) => line !== '').join('\n');
}

/** What came into the conversation with an event. Making room for others takes messages out; that brings none. */
export function newMessages(before: Session, after: Session): readonly Message[] {
  const had = conversationOf(before);
  const has = conversationOf(after);
  const added = has === had ? 0 : has.length - had.length;
  return added <= 0 ? [] : lastOf(has, added);
}

function lastOf(conversation: Conversation<Message>, count: number): readonly Message[] {
  const { tail } = conversation;
  return count <= tail.length ? tail.slice(-count) : toArray(conversation).slice(-count);
}

function ofMessage(story: Story, message: Message, event: Event | null): Story {
  switch (message.role) {
    case 'user':
      return withItem(story, { kind: 'user', text: message.text });
    case 'assistant': {
      // While it happens, its words are told by the event.
      const said = event === null ? withSpoken(story, message.text) : story;
      return message.calls.reduce(
        (told, { id, tool, args }) =>
          withItem(told, {
            kind: 'card',
            callId: id,
            tool,
            args: argsText(args),
            status: 'waiting',
            startedAt: null,
            tookMs: null,
            said: '',
          }),
        said,
      );
    }
    case 'tool': {
      const told = ended(story, message.callId, message.outcome, message.at);
      return event === null ? withAnswer(told, message.outcome) : told;
    }
    default:
      return message satisfies never;
  }
}

/** A single argument is shown without its name: a command, a path, a pattern. */
function argsText(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return jsonText(args);
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : jsonText(args);
}

/** What is nested deeper than the engine can write out is only named. */
function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? '';
  } catch {
    return '(too deeply nested to be shown)';
  }
}

function ended(story: Story, callId: string, outcome: Outcome, at: number): Story {
  const index = story.items.findLastIndex((item) => item.kind === 'card' && item.callId === callId);
  const card = story.items[index];
  const startedAt = card?.kind === 'card' ? card.startedAt : null;
  const tookMs = startedAt === null ? null : Math.max(0, at - startedAt);
  return withCard(story, callId, { tookMs, ...saidOf(outcome) });
}

/** The answer that a finishing tool brings is what everything was for: it is told like words, in full. */
function withAnswer(story: Story, outcome: Outcome): Story {
  if (!outcome.ok || outcome.final !== true) return story;
  const { output } = outcome;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : output;
  return typeof answer === 'string' ? withSpoken(story, answer) : story;
}

function saidOf(outcome: Outcome): Pick<Card, 'status' | 'said'> {
  if (outcome.ok) {
    const { output } = outcome;
    return { status: 'done', said: typeof output === 'string' ? output : jsonText(output, 2) };
  }
  const { kind, message } = outcome.error;
  if (kind === 'denied') return { status: 'denied', said: message };
  const isCalledOff = kind === 'cancelled' || kind === 'skipped' || kind === 'interrupted';
  return { status: isCalledOff ? 'cancelled' : 'failed', said: `${kind}: ${message}` };
}

function ofNote(story: Story, note: Note): Story {
  switch (note.type) {
    case 'verdict': {
      const { level, rule, reason, response } = note.verdict;
      return withRemark(story, level === 'stuck' ? 'bad' : 'warn', `${rule}: ${reason} (${response.kind})`);
    }
    case 'phase-started':
      return withRemark(story, 'quiet', `Phase ${note.number}: ${note.description}`);
    case 'phase-completed':
      return withRemark(
        story,
        note.success ? 'quiet' : 'bad',
        `Phase ${note.number} ${note.success ? 'done' : 'failed'}`,
      );
    case 'paged':
      return withRemark(
        story,
        'quiet',
        `${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`,
      );
    // The chart shows where the work is, and a refused event changes nothing.
    case 'transition':
    case 'mode':
    case 'refused':
      return story;
    default:
      return note satisfies never;
  }
}

function ofActions(story: Story, { actions, event, session }: Seen): Story {
  let told = story;
  if (event.type === 'model-replied' && event.problem !== undefined) {
    told = withRemark(told, 'warn', `The reply was not understood: ${event.problem}`);
  }
  for (const action of actions) {
    if (action.type === 'show-error') told = withRemark(told, 'bad', action.message);
    if (action.type === 'show-text' && event.type !== 'text-delta')
      told = withRemark(told, 'warn', action.text);
    if (action.type === 'stop') told = withRemark(told, 'bad', `Ended: ${action.why.reason}`);
  }
  const { turn } = session;
  return event.type === 'pause-requested' && turn.status === 'paused'
    ? withRemark(told, 'warn', `Paused: ${turn.reason}`)
    : told;
}
