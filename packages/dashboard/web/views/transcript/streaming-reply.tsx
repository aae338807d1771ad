import type { TurnState } from '@pawl/core';
import { formatElapsedTime } from '../../app/format.ts';
import type { LiveOutput } from '../../app/live-output.ts';
import { useNow } from '../../app/use-now.ts';
import { escapeUnsafeText } from '../../app/safe-text.ts';

const streamedTextMax = 6_000;

type StreamingReplyProps = { readonly live: LiveOutput | null; readonly turn: TurnState };

/** Shows the streaming model reply, or that it has not started. Only the end of a long text is rendered. */
export function StreamingReply({ live, turn }: StreamingReplyProps) {
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
