import type { VerdictResponse, Verdict } from '@pawl/core';
import {
  getItemTopic,
  summarizeItem,
  type TranscriptItem,
  type TranscriptItemOfKind,
  type TranscriptTopic,
} from '@pawl/core/projections';
import { formatCount } from '../../app/format.ts';
import type { ColorTone } from '../../app/tones.ts';

/** A line between messages and tool cards: a verdict, a phase, a failure or a user request. */
export type TranscriptNotice = NoticeContent & {
  readonly kind: 'notice';
  readonly seq: number;
  readonly at: number;
};

type NoticeContent = {
  readonly tone: ColorTone;
  readonly title: string;
  readonly text: string;
  /** The view with more details, if any. */
  readonly view: 'why' | 'memory' | null;
};

/** Returns the notice for an item, or null if a message or a tool card shows it or it is not worth a line. */
export function toNotice(item: TranscriptItem): TranscriptNotice | null {
  const content = describeItem(item);
  return content === null ? null : { kind: 'notice', seq: item.seq, at: item.at, ...content };
}

function createNoticeContent(
  tone: ColorTone,
  title: string,
  text = '',
  view: NoticeContent['view'] = null,
): NoticeContent {
  return { tone, title, text, view };
}

function describeItem(item: TranscriptItem): NoticeContent | null {
  // The mapped type guarantees that each writer accepts the item of its key.
  const writeNotice = noticeWriters[item.kind] as NoticeWriter<TranscriptItem['kind']> | undefined;
  return writeNotice === undefined
    ? createNoticeContent(toneByTopic[getItemTopic(item)], summarizeItem(item))
    : writeNotice(item);
}

type NoticeWriter<Kind extends TranscriptItem['kind']> = (
  item: TranscriptItemOfKind<Kind>,
) => NoticeContent | null;

const writeNothing = (): null => null;

const noticeWriters: { readonly [Kind in TranscriptItem['kind']]?: NoticeWriter<Kind> } = {
  'model-failure': ({ error }) =>
    createNoticeContent('recovery', `Model call failed: ${error.kind}`, error.message),
  'work-failure': ({ of, message }) =>
    createNoticeContent('recovery', of === 'hooks' ? 'Hooks failed' : 'Paging failed', message),
  compaction: ({ freedTokens }) =>
    createNoticeContent('memory', 'Compaction finished', `${freedTokens} tokens freed`, 'memory'),
  'memory-command': ({ action, key }) =>
    createNoticeContent('memory', `Memory: ${action} ${key} requested`, '', 'memory'),
  recovery: ({ outcome }) => createNoticeContent('recovery', `Recovery: ${outcome.kind}`),
  request: ({ request, reason }) => {
    const { tone, title } = requestNotices[request];
    return createNoticeContent(tone, title, reason ?? '');
  },
  verdict: ({ verdict }) => describeVerdictNotice(verdict),
  paging: ({ movedEntries, freedTokens }) =>
    createNoticeContent(
      'memory',
      `${formatCount(movedEntries, 'entry', 'entries')} moved to storage`,
      `${freedTokens} tokens freed`,
      'memory',
    ),
  mode: ({ from, to, cause }) =>
    from === to ? null : createNoticeContent('phase', `Mode ${from} → ${to}`, cause),
  'phase-start': ({ number, description }) =>
    createNoticeContent('phase', `Phase ${number} started`, description),
  'phase-end': ({ number, success }) =>
    success
      ? createNoticeContent('done', `Phase ${number} completed`)
      : createNoticeContent('halted', `Phase ${number} failed`),
  error: ({ errorKind, message }) => createNoticeContent('halted', 'Error', `${errorKind}: ${message}`),
  halt: ({ haltReason: { kind, reason, rule } }) =>
    createNoticeContent(
      'halted',
      `Halted: ${kind}${rule === null ? '' : ` (${rule})`}`,
      reason,
      rule === null ? null : 'why',
    ),
  // Messages and tool cards show these, or another notice does.
  message: writeNothing,
  'delivered-message': writeNothing,
  reply: writeNothing,
  call: writeNothing,
  permission: writeNothing,
  'tool-start': writeNothing,
  'tool-result': writeNothing,
  'delivered-result': writeNothing,
  hooks: writeNothing,
  retry: writeNothing,
  wait: writeNothing,
  'compaction-request': writeNothing,
  notice: writeNothing,
  'text-delta': writeNothing,
  'call-delta': writeNothing,
  'tool-progress': writeNothing,
};

const requestNotices = {
  finish: { tone: 'done', title: 'Finish requested' },
  pause: { tone: 'paused', title: 'Paused' },
  resume: { tone: 'paused', title: 'Resumed' },
  cancel: { tone: 'halted', title: 'Cancelled' },
  halt: { tone: 'halted', title: 'Halt requested' },
  shutdown: { tone: 'check', title: 'Shut down' },
} as const;

const toneByTopic: Readonly<Record<TranscriptTopic, ColorTone>> = {
  user: 'user',
  model: 'model',
  tool: 'tools',
  wait: 'check',
  verdict: 'governor',
  memory: 'memory',
  phase: 'phase',
  mode: 'phase',
  session: 'check',
};

const responseLabels: Readonly<Record<VerdictResponse['kind'], string>> = {
  advise: 'advises',
  block: 'blocks the call',
  run: 'runs a remedy',
  recover: 'starts a recovery',
  ask: 'asks you',
  stop: 'requests the final answer',
  halt: 'halts the session',
};

function describeVerdictNotice({ severity, rule, reason, response }: Verdict): NoticeContent {
  const label = severity === 'advise' ? 'Warning' : 'Stuck';
  return createNoticeContent(
    'governor',
    `${label}: ${rule} · the governor ${responseLabels[response.kind]}`,
    reason,
    'why',
  );
}
