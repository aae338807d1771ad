import {
  getConversation,
  toItemArray,
  type ConversationMessage,
  type Session,
  type ToolCall,
  type ToolOutcome,
} from '@pawl/core';
import {
  findToolAnswer,
  summarizeItem,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
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

/** Items without a form of their own appear as one line. */
function addTranscriptItem(transcript: LiveTranscript, item: TranscriptItem): LiveTranscript {
  // The mapped type guarantees that each function accepts the item of its key.
  const addItem = itemForms[item.kind] as ItemForm<TranscriptItem['kind']> | undefined;
  return addItem === undefined
    ? appendRemark(transcript, 'info', summarizeItem(item))
    : addItem(transcript, item);
}

type ItemForm<Kind extends TranscriptItem['kind']> = (
  transcript: LiveTranscript,
  item: TranscriptItemOfKind<Kind>,
) => LiveTranscript;

const skipItem = (transcript: LiveTranscript): LiveTranscript => transcript;

const itemForms: { readonly [Kind in TranscriptItem['kind']]?: ItemForm<Kind> } = {
  'delivered-message': (transcript, { text }) => appendTranscriptItem(transcript, { kind: 'user', text }),
  'text-delta': (transcript, { text }) => appendModelText(transcript, text),
  reply: (transcript, { spokenLines, problem }) => {
    const spoken = finishModelText(transcript, spokenLines.join('\n'));
    return problem === undefined
      ? spoken
      : appendRemark(spoken, 'warn', `The reply could not be parsed: ${problem}`);
  },
  'model-failure': (transcript, { error: { kind, message }, retry }) => {
    const interrupted = finishModelText(transcript, null);
    return retry === null
      ? interrupted
      : appendRemark(interrupted, 'warn', `The model failed (${kind}): ${message} Retrying.`);
  },
  call: (transcript, { call }) => appendToolCard(transcript, call),
  permission: (transcript, { callId, isAllowed, reason }) =>
    isAllowed ? transcript : updateToolCard(transcript, callId, { status: 'denied', output: reason ?? '' }),
  'tool-start': (transcript, { callId, at }) =>
    updateToolCard(transcript, callId, { status: 'running', startedAt: at }),
  'tool-progress': (transcript, { callId, progress }) =>
    updateToolCard(transcript, callId, { status: 'running', output: progress }),
  'tool-result': (transcript, { callId, outcome, at }) =>
    addFinalAnswer(finishToolCard(transcript, callId, outcome, at), outcome),
  'delivered-result': (transcript, { callId, outcome, at }) =>
    finishToolCard(transcript, callId, outcome, at),
  request: (transcript, { request, reason }) => {
    if (request === 'cancel') return finishModelText(transcript, null);
    return request === 'pause' ? appendRemark(transcript, 'warn', `Paused: ${reason ?? ''}`) : transcript;
  },
  verdict: (transcript, { verdict: { severity, rule, reason, response } }) =>
    appendRemark(transcript, severity === 'advise' ? 'warn' : 'bad', `${rule}: ${reason} (${response.kind})`),
  'phase-start': (transcript, { number, description }) =>
    appendRemark(transcript, 'info', `Phase ${number}: ${description}`),
  'phase-end': (transcript, { number, success }) =>
    appendRemark(transcript, success ? 'info' : 'bad', `Phase ${number} ${success ? 'done' : 'failed'}`),
  notice: (transcript, { text }) => appendRemark(transcript, 'warn', text),
  error: (transcript, { message }) => appendRemark(transcript, 'bad', message),
  halt: (transcript, { haltReason }) => appendRemark(transcript, 'bad', `Ended: ${haltReason.reason}`),
  // Shown elsewhere: a message when it is delivered, the rest in the chart and in the event log.
  message: skipItem,
  'call-delta': skipItem,
  wait: skipItem,
  mode: skipItem,
  hooks: skipItem,
  'work-failure': skipItem,
  retry: skipItem,
  recovery: skipItem,
  'compaction-request': skipItem,
  compaction: skipItem,
  'memory-command': skipItem,
};

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
