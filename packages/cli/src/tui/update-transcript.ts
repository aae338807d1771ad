import {
  findToolAnswer,
  getConversation,
  summarizeItem,
  toItemArray,
  type ConversationMessage,
  type Session,
  type ToolCall,
  type ToolOutcome,
  type TranscriptItem,
} from '@pawl/core';
import {
  updateToolCard,
  appendTranscriptItem,
  appendRemark,
  appendModelText,
  finishModelText,
  type LiveToolCard,
  type LiveTranscript,
} from './live-transcript.ts';

/** Adds what happened in a step to the transcript. */
export function updateTranscript(
  transcript: LiveTranscript,
  items: readonly TranscriptItem[],
): LiveTranscript {
  return items.reduce(addTranscriptItem, transcript);
}

/** Number of messages restored from a resumed session. */
const maxRestoredMessages = 30;

/** Restores the last messages of a resumed session. */
export function restoreTranscript(transcript: LiveTranscript, session: Session): LiveTranscript {
  const messages = toItemArray(getConversation(session));
  const earlier = messages.length - maxRestoredMessages;
  const start =
    earlier > 0 ? appendRemark(transcript, 'info', `${earlier} earlier messages are not shown.`) : transcript;
  return messages.slice(-maxRestoredMessages).reduce(restoreMessage, start);
}

function restoreMessage(transcript: LiveTranscript, message: ConversationMessage): LiveTranscript {
  switch (message.role) {
    case 'user':
      return appendTranscriptItem(transcript, { kind: 'user', text: message.text });
    case 'assistant':
      return message.calls.reduce(appendToolCard, finishModelText(transcript, message.text));
    case 'tool': {
      const { callId, outcome, at } = message;
      return addFinalAnswer(finishToolCard(transcript, callId, outcome, at), outcome);
    }
    default:
      return message satisfies never;
  }
}

function addTranscriptItem(transcript: LiveTranscript, item: TranscriptItem): LiveTranscript {
  switch (item.kind) {
    case 'delivered-message':
      return appendTranscriptItem(transcript, { kind: 'user', text: item.text });
    case 'text-delta':
      return appendModelText(transcript, item.text);
    case 'reply': {
      const spoken = finishModelText(transcript, item.spokenLines.join('\n'));
      return item.problem === undefined
        ? spoken
        : appendRemark(spoken, 'warn', `The reply could not be parsed: ${item.problem}`);
    }
    case 'model-failure': {
      const { kind, message } = item.error;
      const interrupted = finishModelText(transcript, null);
      return item.retry === null
        ? interrupted
        : appendRemark(interrupted, 'warn', `The model failed (${kind}): ${message} Retrying.`);
    }
    case 'call':
      return appendToolCard(transcript, item.call);
    case 'permission':
      return item.isAllowed
        ? transcript
        : updateToolCard(transcript, item.callId, { status: 'denied', output: item.reason ?? '' });
    case 'tool-start':
      return updateToolCard(transcript, item.callId, { status: 'running', startedAt: item.at });
    case 'tool-progress':
      return updateToolCard(transcript, item.callId, { status: 'running', output: item.progress });
    case 'tool-result':
      return addFinalAnswer(finishToolCard(transcript, item.callId, item.outcome, item.at), item.outcome);
    case 'delivered-result':
      return finishToolCard(transcript, item.callId, item.outcome, item.at);
    case 'request':
      return addRequest(transcript, item);
    // Shown elsewhere: the message when it is delivered, the rest in the chart, the event log and the footer.
    case 'message':
    case 'call-delta':
    case 'wait':
    case 'mode':
    case 'hooks':
    case 'work-failure':
    case 'retry':
    case 'recovery':
    case 'compaction-request':
    case 'compaction':
    case 'memory-command':
      return transcript;
    default:
      return addRemark(transcript, item);
  }
}

function addRequest(
  transcript: LiveTranscript,
  { request, reason }: TranscriptItem & { readonly kind: 'request' },
): LiveTranscript {
  if (request === 'cancel') return finishModelText(transcript, null);
  return request === 'pause' ? appendRemark(transcript, 'warn', `Paused: ${reason ?? ''}`) : transcript;
}

/** Adds an item that has no form of its own as one line. */
function addRemark(transcript: LiveTranscript, item: TranscriptItem): LiveTranscript {
  switch (item.kind) {
    case 'verdict': {
      const { level, rule, reason, response } = item.verdict;
      return appendRemark(
        transcript,
        level === 'stuck' ? 'bad' : 'warn',
        `${rule}: ${reason} (${response.kind})`,
      );
    }
    case 'phase-start':
      return appendRemark(transcript, 'info', `Phase ${item.number}: ${item.description}`);
    case 'phase-end':
      return appendRemark(
        transcript,
        item.success ? 'info' : 'bad',
        `Phase ${item.number} ${item.success ? 'done' : 'failed'}`,
      );
    case 'notice':
      return appendRemark(transcript, 'warn', item.text);
    case 'error':
      return appendRemark(transcript, 'bad', item.message);
    case 'halt':
      return appendRemark(transcript, 'bad', `Ended: ${item.haltReason.reason}`);
    default:
      return appendRemark(transcript, 'info', summarizeItem(item));
  }
}

function appendToolCard(transcript: LiveTranscript, { id, tool, args }: ToolCall): LiveTranscript {
  return appendTranscriptItem(transcript, {
    kind: 'card',
    callId: id,
    tool,
    args: formatCallArguments(args),
    status: 'waiting',
    startedAt: null,
    durationMs: null,
    output: '',
  });
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
  const answer = findToolAnswer(outcome);
  return answer === null ? transcript : finishModelText(transcript, answer);
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
