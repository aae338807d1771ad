import { describeToolCall, formatToolOutput } from '../output/tool-phrases.ts';
import { elideMiddle } from './styled-line.ts';
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

/*
 * The readable items of a session, in order: messages, tool calls and remarks. It holds only the latest items, so that
 * the view of a long session stays as fast as that of a short one.
 */
export type LiveTranscriptItem =
  | { readonly kind: 'user'; readonly number: number; readonly text: string }
  /** `isComplete` is false while the model is still streaming. */
  | { readonly kind: 'model'; readonly number: number; readonly text: string; readonly isComplete: boolean }
  | LiveToolCard
  | {
      readonly kind: 'remark';
      readonly number: number;
      readonly severity: 'info' | 'warn' | 'bad';
      readonly text: string;
    };

/** One tool call. */
export type LiveToolCard = {
  readonly kind: 'card';
  readonly number: number;
  readonly callId: string;
  /** What the call does, in words; see {@link describeToolCall}. */
  readonly doing: string;
  readonly done: string;
  readonly status: ToolCardStatus;
  readonly startedAt: number | null;
  readonly durationMs: number | null;
  /** The tool's progress while it runs, then its result. */
  readonly output: string;
  /** The change to a file as a unified diff; empty for none. */
  readonly diff: string;
};

export type ToolCardStatus = 'waiting' | 'running' | 'done' | 'failed' | 'denied' | 'cancelled';

export type LiveTranscript = {
  readonly items: readonly LiveTranscriptItem[];
  /** The number of the next item; numbers only increase. */
  readonly nextNumber: number;
  /** Number of dropped items. */
  readonly droppedCount: number;
};

export const transcriptLimits = {
  items: 600,
  /** Total characters of all items. */
  characters: 1_000_000,
  text: 20_000,
  phrase: 2_000,
  output: 4_000,
} as const;

export const emptyTranscript: LiveTranscript = { items: [], nextNumber: 1, droppedCount: 0 };

/** An item without a number. */
type NewTranscriptItem = LiveTranscriptItem extends infer Each
  ? Each extends LiveTranscriptItem
    ? Omit<Each, 'number'>
    : never
  : never;

function appendTranscriptItem(transcript: LiveTranscript, item: NewTranscriptItem): LiveTranscript {
  const items = [
    ...transcript.items,
    { ...truncateTranscriptItem(item), number: transcript.nextNumber } as LiveTranscriptItem,
  ];
  return trimTranscript({ ...transcript, items, nextNumber: transcript.nextNumber + 1 });
}

export function appendRemark(
  transcript: LiveTranscript,
  severity: Extract<LiveTranscriptItem, { kind: 'remark' }>['severity'],
  text: string,
): LiveTranscript {
  return appendTranscriptItem(transcript, { kind: 'remark', severity, text });
}

/** Appends streamed model text; other items may have appeared since the reply began. */
function appendModelText(transcript: LiveTranscript, text: string): LiveTranscript {
  const index = transcript.items.findLastIndex((item) => item.kind === 'model' && !item.isComplete);
  const item = transcript.items[index];
  if (item?.kind !== 'model') {
    return text === ''
      ? transcript
      : appendTranscriptItem(transcript, { kind: 'model', text, isComplete: false });
  }
  return replaceTranscriptItem(transcript, index, { ...item, text: truncateStreamingText(item.text + text) });
}

/** Sets the final model text; null if the reply was aborted, which keeps the partial text. */
function finishModelText(transcript: LiveTranscript, text: string | null): LiveTranscript {
  const index = transcript.items.findLastIndex((item) => item.kind === 'model' && !item.isComplete);
  const item = transcript.items[index];
  if (item?.kind !== 'model') {
    return text === null || text.trim() === ''
      ? transcript
      : appendTranscriptItem(transcript, { kind: 'model', text, isComplete: true });
  }
  if (text !== null && text.trim() === '') {
    return { ...transcript, items: transcript.items.toSpliced(index, 1) };
  }
  const finalText = elideMiddle(text ?? item.text, transcriptLimits.text);
  return replaceTranscriptItem(transcript, index, { ...item, text: finalText, isComplete: true });
}

/** Updates the latest unfinished card of a call; later replies may reuse call ids. */
function updateToolCard(
  transcript: LiveTranscript,
  callId: string,
  change: Partial<LiveToolCard>,
): LiveTranscript {
  const index = transcript.items.findLastIndex(
    (item) => item.kind === 'card' && item.callId === callId && !isFinalItem(item),
  );
  const card = transcript.items[index];
  if (card?.kind !== 'card') return transcript;
  return replaceTranscriptItem(
    transcript,
    index,
    truncateTranscriptItem({ ...card, ...change }) as LiveToolCard,
  );
}

/** Returns whether an item will not change anymore. */
export function isFinalItem(item: LiveTranscriptItem): boolean {
  if (item.kind === 'model') return item.isComplete;
  return item.kind !== 'card' || (item.status !== 'waiting' && item.status !== 'running');
}

function replaceTranscriptItem(
  transcript: LiveTranscript,
  index: number,
  item: LiveTranscriptItem,
): LiveTranscript {
  return { ...transcript, items: transcript.items.with(index, item) };
}

function truncateTranscriptItem(item: NewTranscriptItem): NewTranscriptItem {
  if (item.kind !== 'card') return { ...item, text: elideMiddle(item.text, transcriptLimits.text) };
  const { doing, done, output } = item;
  return {
    ...item,
    doing: elideMiddle(doing, transcriptLimits.phrase),
    done: elideMiddle(done, transcriptLimits.phrase),
    output: elideMiddle(output, transcriptLimits.output),
  };
}

/** Keeps the end of a streaming reply; the full text follows when it is complete. */
function truncateStreamingText(text: string): string {
  return text.length <= 2 * transcriptLimits.text ? text : `… ${text.slice(-transcriptLimits.text)}`;
}

/** Drops the oldest items in batches, so that trimming does not run for every item. */
function trimTranscript(transcript: LiveTranscript): LiveTranscript {
  const { items } = transcript;
  if (items.length % 64 !== 0 && items.length < transcriptLimits.items * 2) return transcript;
  let first = Math.max(0, items.length - transcriptLimits.items);
  let room = transcriptLimits.characters;
  for (let index = items.length - 1; index >= first; index -= 1) {
    room -= getItemLength(items[index]);
    if (room < 0) first = index + 1;
  }
  const dropped = Math.min(first, items.length - 1);
  return { ...transcript, items: items.slice(dropped), droppedCount: transcript.droppedCount + dropped };
}

function getItemLength(item: LiveTranscriptItem | undefined): number {
  if (item === undefined) return 0;
  return item.kind === 'card' ? item.done.length + item.output.length : item.text.length;
}

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
  'tool-result': (transcript, { callId, outcome, diffs, at }) => {
    const withDiff = updateToolCard(transcript, callId, { diff: diffs.join('\n') });
    return addFinalAnswer(finishToolCard(withDiff, callId, outcome, at), outcome);
  },
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
  halt: (transcript, { haltReason: { kind, reason } }) =>
    appendRemark(
      transcript,
      'bad',
      kind === 'requested'
        ? `Ended: ${reason}`
        : `Stopped: ${reason}. Write a message, or /continue to continue anyway; /governor shows the evidence.`,
    ),
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

function appendToolCard(transcript: LiveTranscript, call: ToolCall): LiveTranscript {
  return appendTranscriptItem(transcript, {
    kind: 'card',
    callId: call.id,
    ...describeToolCall(call),
    status: 'waiting',
    startedAt: null,
    durationMs: null,
    output: '',
    diff: '',
  });
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
  if (outcome.ok) return { status: 'done', output: formatToolOutput(outcome.output) };
  const { kind, message } = outcome.error;
  if (kind === 'denied') return { status: 'denied', output: message };
  const isCancelled = kind === 'cancelled' || kind === 'skipped' || kind === 'interrupted';
  return { status: isCancelled ? 'cancelled' : 'failed', output: `${kind}: ${message}` };
}
