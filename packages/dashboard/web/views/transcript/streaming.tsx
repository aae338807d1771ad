import type { Turn } from '@pawl/core';
import { duration } from '../../app/format.ts';
import type { LiveShow } from '../../app/live-show.ts';
import { useNow } from '../../app/use-now.ts';
import { visible } from '../../app/visible.ts';

const shownMax = 6_000;

type StreamingProps = { readonly live: LiveShow | null; readonly turn: Turn };

/** What the model is saying right now, or that it has not begun to. Of a long text only the end is drawn. */
export function Streaming({ live, turn }: StreamingProps) {
  if (turn.status === 'errorRecovery' && turn.origin !== 'tool')
    return <Retry at={turn.retryAt} retries={turn.retries} />;
  if (turn.status !== 'callingModel') return null;
  const isSilent = live === null || (live.text === '' && live.calls.length === 0);
  return (
    <div className="item reply streaming tone-model" aria-busy="true">
      <div className="item-head">
        <span className="dot pulses" aria-hidden="true" />
        <span className="who">model</span>
        <span className="faint">{isSilent ? <Asked since={turn.since} /> : 'is answering'}</span>
      </div>
      {live !== null && live.text !== '' && (
        <div className="long-text-body">{visible(live.text.slice(-shownMax))}</div>
      )}
      {live?.calls.map(({ callId, tool, args }) => (
        <div key={callId} className="mono streaming-call">
          {visible(tool)} {visible(args.slice(-400))}
        </div>
      ))}
    </div>
  );
}

function Asked({ since }: { readonly since: number }) {
  const now = useNow(500);
  return <>is being asked, for {duration(Math.max(0, now - since))}</>;
}

function Retry({ at, retries }: { readonly at: number; readonly retries: number }) {
  const now = useNow(500);
  return (
    <div className="item notice tone-recovery">
      <span className="notice-title">Tries again {at > now ? `in ${duration(at - now)}` : 'now'}</span>
      <span className="notice-text">
        {retries === 1 ? 'one failure so far' : `${retries} failures so far`}
      </span>
    </div>
  );
}
