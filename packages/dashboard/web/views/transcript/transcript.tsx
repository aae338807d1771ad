import type { TurnState } from '@pawl/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatElapsedTime } from '../../app/format.ts';
import type { LiveOutput } from '../../app/live-output.ts';
import { escapeUnsafeText } from '../../app/safe-text.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { PromptDialog } from './prompt-dialog.tsx';
import { TranscriptItem } from './transcript-item.tsx';
import { TranscriptProjection } from './transcript-model.ts';
import './transcript.css';

/** Shows the conversation with all tool calls, decisions and verdicts. */
export function TranscriptView(props: SessionViewProps) {
  const { timeline, version, at, isFollowing, live, navigate } = props;
  const transcript = useMemo(() => new TranscriptProjection(timeline), [timeline]);
  const count = useMemo(() => transcript.update().countAt(at), [transcript, version, at]);
  const [prompt, setPrompt] = useState<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (transcript.items[index]?.kind === 'notice' ? 44 : 92),
    getItemKey: (index) => index,
    overscan: 6,
    gap: 8,
  });
  useEffect(() => {
    if (count > 0) rows.scrollToIndex(count - 1, { align: 'end' });
  }, [rows, count, at]);
  const streamed = live === null ? 0 : live.text.length + live.calls.length;
  useEffect(() => {
    const element = scroller.current;
    if (streamed > 0 && element !== null) element.scrollTop = element.scrollHeight;
  }, [streamed]);
  useKeys('Transcript', [
    {
      keys: 'j',
      description: 'Next entry',
      run: () => navigate({ seq: getNextItemSeq(transcript, count, timeline.head) }),
    },
    {
      keys: 'k',
      description: 'Previous entry',
      run: () => navigate({ seq: Math.max(timeline.created.seq, findPreviousSeq(transcript, at)) }),
    },
    {
      keys: 'e',
      description: 'Exact prompt of the last reply',
      run: () => setPrompt(findLastRequest(transcript, count)),
    },
  ]);
  if (count === 0) {
    return (
      <EmptyState title={timeline.length === 0 ? 'No events yet' : 'Before the first event'}>
        <p>
          {timeline.length === 0
            ? 'Send a message below to start.'
            : 'Move the slider below to select an event.'}
        </p>
      </EmptyState>
    );
  }
  return (
    <div className="transcript" ref={scroller} tabIndex={0} role="log" aria-label="Transcript">
      <div className="virtual" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const item = transcript.items[index];
          return item === undefined ? null : (
            <div
              key={index}
              data-index={index}
              ref={rows.measureElement}
              className="virtual-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TranscriptItem item={item} showPrompt={setPrompt} {...props} />
            </div>
          );
        })}
      </div>
      {isFollowing && <StreamingReply live={live} turn={timeline.latest.turn} />}
      {prompt !== null && <PromptDialog {...props} seq={prompt} close={() => setPrompt(null)} />}
    </div>
  );
}

/** Returns the event of the first entry that is not shown yet. */
function getNextItemSeq(transcript: TranscriptProjection, count: number, head: number): number | 'now' {
  const next = transcript.items[count]?.seq;
  return next === undefined || next >= head ? 'now' : next;
}

function findPreviousSeq(transcript: TranscriptProjection, at: number): number {
  const last = transcript.items[transcript.countAt(at) - 1]?.seq ?? 0;
  const before = transcript.items[transcript.countAt(last - 1) - 1]?.seq;
  return before ?? 0;
}

function findLastRequest({ items }: TranscriptProjection, count: number): number | null {
  for (let index = count - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item?.kind === 'reply' && item.requestSeq !== null) return item.requestSeq;
  }
  return null;
}

const streamedTextMax = 6_000;

type StreamingReplyProps = { readonly live: LiveOutput | null; readonly turn: TurnState };

/** Shows the streaming model reply, or that it has not started. Only the end of a long text is rendered. */
function StreamingReply({ live, turn }: StreamingReplyProps) {
  if (turn.status === 'errorRecovery' && turn.origin !== 'tool')
    return <RetryNotice at={turn.retryAt} retries={turn.retries} />;
  if (turn.status !== 'callingModel') return null;
  const isEmpty = live === null || (live.text === '' && live.calls.length === 0);
  return (
    <div className="item reply streaming tone-model" aria-busy="true">
      <div className="item-head">
        <span className="dot pulses" aria-hidden="true" />
        <span className="who">model</span>
        <span className="faint">{isEmpty ? <RequestTimer since={turn.since} /> : 'replying'}</span>
      </div>
      {live !== null && live.text !== '' && (
        <div className="long-text-body">{escapeUnsafeText(live.text.slice(-streamedTextMax))}</div>
      )}
      {live?.calls.map(({ callId, tool, args }) => (
        <div key={callId} className="mono streaming-call">
          {escapeUnsafeText(tool)} {escapeUnsafeText(args.slice(-400))}
        </div>
      ))}
    </div>
  );
}

function RequestTimer({ since }: { readonly since: number }) {
  const now = useNow(500);
  return <>waiting for a reply, {formatElapsedTime(Math.max(0, now - since))}</>;
}

function RetryNotice({ at, retries }: { readonly at: number; readonly retries: number }) {
  const now = useNow(500);
  return (
    <div className="item notice tone-recovery">
      <span className="notice-title">Retry {at > now ? `in ${formatElapsedTime(at - now)}` : 'now'}</span>
      <span className="notice-text">{retries === 1 ? '1 failure so far' : `${retries} failures so far`}</span>
    </div>
  );
}
