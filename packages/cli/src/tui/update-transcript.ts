import {
  getConversation,
  type Event,
  type ConversationMessage,
  type Note,
  type ToolOutcome,
  type Session,
  toItemArray,
  type ConversationHistory,
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
export function updateTranscript(
  transcript: LiveTranscript,
  before: Session,
  result: StepResult,
): LiveTranscript {
  let next = addTranscriptEvent(transcript, result);
  if (result.session === before) return next;
  for (const message of listNewMessages(before, result.session))
    next = addTranscriptMessage(next, message, result.event);
  for (const note of result.notes) next = addTranscriptNote(next, note);
  return addTranscriptActions(next, result);
}

/** Number of messages restored from a resumed session. */
const maxRestoredMessages = 30;

/** Restores the last messages of a resumed session. */
export function restoreTranscript(transcript: LiveTranscript, session: Session): LiveTranscript {
  const messages = toItemArray(getConversation(session));
  const earlier = messages.length - maxRestoredMessages;
  const start =
    earlier > 0 ? appendRemark(transcript, 'info', `${earlier} earlier messages are not shown.`) : transcript;
  return messages
    .slice(-maxRestoredMessages)
    .reduce((next, message) => addTranscriptMessage(next, message, null), start);
}

function addTranscriptEvent(transcript: LiveTranscript, { event, session }: StepResult): LiveTranscript {
  switch (event.type) {
    case 'text-delta':
      return appendModelText(transcript, event.text);
    case 'tool-started':
      return updateToolCard(transcript, event.callId, { status: 'running', startedAt: event.at });
    case 'tool-progressed':
      return updateToolCard(transcript, event.callId, { status: 'running', output: event.progress });
    case 'tool-finished':
      return addFinalAnswer(finishToolCard(transcript, event.callId, event.outcome, event.at), event.outcome);
    case 'permission-decided':
      return event.decision === 'deny'
        ? updateToolCard(transcript, event.callId, { status: 'denied', output: event.reason ?? '' })
        : transcript;
    case 'model-failed': {
      const { kind, message } = event.error;
      const isRetried = session.turn.status === 'errorRecovery';
      const interrupted = finishModelText(transcript, null);
      return isRetried
        ? appendRemark(interrupted, 'warn', `The model failed (${kind}): ${message} Retrying.`)
        : interrupted;
    }
    case 'cancel-requested':
      return finishModelText(transcript, null);
    case 'model-replied':
      return finishModelText(transcript, getSpokenText(event, session));
    default:
      return transcript;
  }
}

/** Returns the text that the model addresses to the user; a reply that is all protocol has it in its logs. */
function getSpokenText(
  { text, logs, problem }: Extract<Event, { readonly type: 'model-replied' }>,
  { settings: { chart } }: Session,
): string {
  if (problem !== undefined) return '';
  const lines = chart?.hops.by === 'reply' ? [logs?.think ?? '', logs?.evaluation ?? ''] : [text];
  return lines.filter((line) => line !== '').join('\n');
}

/** Returns the messages that an event added. Compaction only removes messages, so it adds none. */
export function listNewMessages(before: Session, after: Session): readonly ConversationMessage[] {
  const beforeMessages = getConversation(before);
  const afterMessages = getConversation(after);
  const added = afterMessages === beforeMessages ? 0 : afterMessages.length - beforeMessages.length;
  return added <= 0 ? [] : takeLastMessages(afterMessages, added);
}

function takeLastMessages(
  conversation: ConversationHistory<ConversationMessage>,
  count: number,
): readonly ConversationMessage[] {
  const { tail } = conversation;
  return count <= tail.length ? tail.slice(-count) : toItemArray(conversation).slice(-count);
}

function addTranscriptMessage(
  transcript: LiveTranscript,
  message: ConversationMessage,
  event: Event | null,
): LiveTranscript {
  switch (message.role) {
    case 'user':
      return appendTranscriptItem(transcript, { kind: 'user', text: message.text });
    case 'assistant': {
      // In a live session the event already added the text.
      const start = event === null ? finishModelText(transcript, message.text) : transcript;
      return message.calls.reduce(
        (next, { id, tool, args }) =>
          appendTranscriptItem(next, {
            kind: 'card',
            callId: id,
            tool,
            args: formatCallArguments(args),
            status: 'waiting',
            startedAt: null,
            durationMs: null,
            output: '',
          }),
        start,
      );
    }
    case 'tool': {
      const finished = finishToolCard(transcript, message.callId, message.outcome, message.at);
      return event === null ? addFinalAnswer(finished, message.outcome) : finished;
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
    return '(nested too deeply to be shown)';
  }
}

function finishToolCard(
  transcript: LiveTranscript,
  callId: string,
  outcome: ToolOutcome,
  at: number,
): LiveTranscript {
  const index = transcript.items.findLastIndex((item) => item.kind === 'card' && item.callId === callId);
  const card = transcript.items[index];
  const startedAt = card?.kind === 'card' ? card.startedAt : null;
  const durationMs = startedAt === null ? null : Math.max(0, at - startedAt);
  return updateToolCard(transcript, callId, { durationMs, ...toCardResult(outcome) });
}

/** Shows the answer of a finishing tool in full, as model text. */
function addFinalAnswer(transcript: LiveTranscript, outcome: ToolOutcome): LiveTranscript {
  if (!outcome.ok || outcome.final !== true) return transcript;
  const { output } = outcome;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : output;
  return typeof answer === 'string' ? finishModelText(transcript, answer) : transcript;
}

function toCardResult(outcome: ToolOutcome): Pick<LiveToolCard, 'status' | 'output'> {
  if (outcome.ok) {
    const { output } = outcome;
    return {
      status: 'done',
      output: typeof output === 'string' ? output : stringifyOrPlaceholder(output, 2),
    };
  }
  const { kind, message } = outcome.error;
  if (kind === 'denied') return { status: 'denied', output: message };
  const isCancelled = kind === 'cancelled' || kind === 'skipped' || kind === 'interrupted';
  return { status: isCancelled ? 'cancelled' : 'failed', output: `${kind}: ${message}` };
}

function addTranscriptNote(transcript: LiveTranscript, note: Note): LiveTranscript {
  switch (note.type) {
    case 'verdict': {
      const { level, rule, reason, response } = note.verdict;
      return appendRemark(
        transcript,
        level === 'stuck' ? 'bad' : 'warn',
        `${rule}: ${reason} (${response.kind})`,
      );
    }
    case 'phase-started':
      return appendRemark(transcript, 'info', `Phase ${note.number}: ${note.description}`);
    case 'phase-completed':
      return appendRemark(
        transcript,
        note.success ? 'info' : 'bad',
        `Phase ${note.number} ${note.success ? 'done' : 'failed'}`,
      );
    case 'paged':
      return appendRemark(
        transcript,
        'info',
        `${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`,
      );
    // The chart shows the state, and a refused event changes nothing.
    case 'transition':
    case 'mode':
    case 'refused':
      return transcript;
    default:
      return note satisfies never;
  }
}

function addTranscriptActions(
  transcript: LiveTranscript,
  { actions, event, session }: StepResult,
): LiveTranscript {
  let next = transcript;
  if (event.type === 'model-replied' && event.problem !== undefined) {
    next = appendRemark(next, 'warn', `The reply could not be parsed: ${event.problem}`);
  }
  for (const action of actions) {
    if (action.type === 'show-error') next = appendRemark(next, 'bad', action.message);
    if (action.type === 'show-text' && event.type !== 'text-delta')
      next = appendRemark(next, 'warn', action.text);
    if (action.type === 'stop') next = appendRemark(next, 'bad', `Ended: ${action.haltReason.reason}`);
  }
  const { turn } = session;
  return event.type === 'pause-requested' && turn.status === 'paused'
    ? appendRemark(next, 'warn', `Paused: ${turn.reason}`)
    : next;
}
