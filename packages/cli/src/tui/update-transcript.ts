import {
  getConversation,
  toItemArray,
  type ConversationHistory,
  type Event,
  type ConversationMessage,
  type Note,
  type ToolOutcome,
  type Session,
} from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import {
  updateToolCard,
  appendTranscriptItem,
  appendRemark,
  appendModelText,
  finishModelText,
  type LiveToolCard,
  type LiveTranscript,
} from './live-transcript.ts';

/** Adds an event and its effects to the transcript. */
export function updateTranscript(story: LiveTranscript, before: Session, seen: StepResult): LiveTranscript {
  let told = addTranscriptEvent(story, seen);
  if (seen.session === before) return told;
  for (const message of listNewMessages(before, seen.session))
    told = addTranscriptMessage(told, message, seen.event);
  for (const note of seen.notes) told = addTranscriptNote(told, note);
  return addTranscriptActions(told, seen);
}

/** Number of messages restored from a resumed session. */
const maxRestoredMessages = 30;

/** Restores the last messages of a resumed session. */
export function restoreTranscript(story: LiveTranscript, session: Session): LiveTranscript {
  const messages = toItemArray(getConversation(session));
  const earlier = messages.length - maxRestoredMessages;
  const start =
    earlier > 0 ? appendRemark(story, 'quiet', `${earlier} earlier messages are not shown.`) : story;
  return messages
    .slice(-maxRestoredMessages)
    .reduce((told, message) => addTranscriptMessage(told, message, null), start);
}

function addTranscriptEvent(story: LiveTranscript, { event, session }: StepResult): LiveTranscript {
  switch (event.type) {
    case 'text-delta':
      return appendModelText(story, event.text);
    case 'tool-started':
      return updateToolCard(story, event.callId, { status: 'running', startedAt: event.at });
    case 'tool-progressed':
      return updateToolCard(story, event.callId, { status: 'running', said: event.progress });
    case 'tool-finished':
      return addFinalAnswer(finishToolCard(story, event.callId, event.outcome, event.at), event.outcome);
    case 'permission-decided':
      return event.decision === 'deny'
        ? updateToolCard(story, event.callId, { status: 'denied', said: event.reason ?? '' })
        : story;
    case 'model-failed': {
      const { kind, message } = event.error;
      const isTriedAgain = session.turn.status === 'errorRecovery';
      const broken = finishModelText(story, null);
      return isTriedAgain
        ? appendRemark(broken, 'warn', `The model failed (${kind}): ${message} It is asked again.`)
        : broken;
    }
    case 'cancel-requested':
      return finishModelText(story, null);
    case 'model-replied':
      return finishModelText(story, getSpokenText(event, session));
    default:
      return story;
  }
}

/** Returns the text that the model addresses to the user; a reply that is all protocol has it in its logs. */
function getSpokenText(
  { text, logs, problem }: Extract<Event, { readonly type: 'model-replied' }>,
  { settings: { chart } }: Session,
): string {
  if (problem !== undefined) return '';
  const said = chart?.hops.by === 'reply' ? [logs?.think ?? '', logs?.evaluation ?? ''] : [text];
  return said.filter((line) => line !== '').join('\n');
}

/** Returns the messages that an event added. Compaction only removes messages, so it adds none. */
export function listNewMessages(before: Session, after: Session): readonly ConversationMessage[] {
  const had = getConversation(before);
  const has = getConversation(after);
  const added = has === had ? 0 : has.length - had.length;
  return added <= 0 ? [] : takeLastMessages(has, added);
}

function takeLastMessages(
  conversation: ConversationHistory<ConversationMessage>,
  count: number,
): readonly ConversationMessage[] {
  const { tail } = conversation;
  return count <= tail.length ? tail.slice(-count) : toItemArray(conversation).slice(-count);
}

function addTranscriptMessage(
  story: LiveTranscript,
  message: ConversationMessage,
  event: Event | null,
): LiveTranscript {
  switch (message.role) {
    case 'user':
      return appendTranscriptItem(story, { kind: 'user', text: message.text });
    case 'assistant': {
      // In a live session the event already added the text.
      const said = event === null ? finishModelText(story, message.text) : story;
      return message.calls.reduce(
        (told, { id, tool, args }) =>
          appendTranscriptItem(told, {
            kind: 'card',
            callId: id,
            tool,
            args: formatCallArguments(args),
            status: 'waiting',
            startedAt: null,
            tookMs: null,
            said: '',
          }),
        said,
      );
    }
    case 'tool': {
      const told = finishToolCard(story, message.callId, message.outcome, message.at);
      return event === null ? addFinalAnswer(told, message.outcome) : told;
    }
    default:
      return message satisfies never;
  }
}

/** Shows a single argument without its name: a command, a path, a pattern. */
function formatCallArguments(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return stringifyOrPlaceholder(args);
  const values = Object.values(args);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : stringifyOrPlaceholder(args);
}

/** Values nested too deeply to stringify get a placeholder. */
function stringifyOrPlaceholder(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? '';
  } catch {
    return '(too deeply nested to be shown)';
  }
}

function finishToolCard(
  story: LiveTranscript,
  callId: string,
  outcome: ToolOutcome,
  at: number,
): LiveTranscript {
  const index = story.items.findLastIndex((item) => item.kind === 'card' && item.callId === callId);
  const card = story.items[index];
  const startedAt = card?.kind === 'card' ? card.startedAt : null;
  const tookMs = startedAt === null ? null : Math.max(0, at - startedAt);
  return updateToolCard(story, callId, { tookMs, ...toCardResult(outcome) });
}

/** Shows the answer of a finishing tool in full, as model text. */
function addFinalAnswer(story: LiveTranscript, outcome: ToolOutcome): LiveTranscript {
  if (!outcome.ok || outcome.final !== true) return story;
  const { output } = outcome;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : output;
  return typeof answer === 'string' ? finishModelText(story, answer) : story;
}

function toCardResult(outcome: ToolOutcome): Pick<LiveToolCard, 'status' | 'said'> {
  if (outcome.ok) {
    const { output } = outcome;
    return { status: 'done', said: typeof output === 'string' ? output : stringifyOrPlaceholder(output, 2) };
  }
  const { kind, message } = outcome.error;
  if (kind === 'denied') return { status: 'denied', said: message };
  const isCalledOff = kind === 'cancelled' || kind === 'skipped' || kind === 'interrupted';
  return { status: isCalledOff ? 'cancelled' : 'failed', said: `${kind}: ${message}` };
}

function addTranscriptNote(story: LiveTranscript, note: Note): LiveTranscript {
  switch (note.type) {
    case 'verdict': {
      const { level, rule, reason, response } = note.verdict;
      return appendRemark(story, level === 'stuck' ? 'bad' : 'warn', `${rule}: ${reason} (${response.kind})`);
    }
    case 'phase-started':
      return appendRemark(story, 'quiet', `Phase ${note.number}: ${note.description}`);
    case 'phase-completed':
      return appendRemark(
        story,
        note.success ? 'quiet' : 'bad',
        `Phase ${note.number} ${note.success ? 'done' : 'failed'}`,
      );
    case 'paged':
      return appendRemark(
        story,
        'quiet',
        `${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`,
      );
    // The chart shows the state, and a refused event changes nothing.
    case 'transition':
    case 'mode':
    case 'refused':
      return story;
    default:
      return note satisfies never;
  }
}

function addTranscriptActions(
  story: LiveTranscript,
  { actions, event, session }: StepResult,
): LiveTranscript {
  let told = story;
  if (event.type === 'model-replied' && event.problem !== undefined) {
    told = appendRemark(told, 'warn', `The reply was not understood: ${event.problem}`);
  }
  for (const action of actions) {
    if (action.type === 'show-error') told = appendRemark(told, 'bad', action.message);
    if (action.type === 'show-text' && event.type !== 'text-delta')
      told = appendRemark(told, 'warn', action.text);
    if (action.type === 'stop') told = appendRemark(told, 'bad', `Ended: ${action.haltReason.reason}`);
  }
  const { turn } = session;
  return event.type === 'pause-requested' && turn.status === 'paused'
    ? appendRemark(told, 'warn', `Paused: ${turn.reason}`)
    : told;
}
