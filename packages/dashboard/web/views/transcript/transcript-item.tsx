import { formatCount, formatElapsedTime } from '../../app/format.ts';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import { ToolCallItem } from './tool-call-item.tsx';
import { EventLink, type TranscriptItemProps } from './event-link.tsx';
import type { TranscriptNotice } from './notices.ts';
import type { TranscriptReply } from './transcript-model.ts';

export function TranscriptItem(props: TranscriptItemProps) {
  const { item } = props;
  switch (item.kind) {
    case 'said':
      return <UserMessageItem {...props} item={item} />;
    case 'reply':
      return <ReplyItem {...props} item={item} />;
    case 'call':
      return <ToolCallItem {...props} item={item} />;
    case 'answer':
      return (
        <article className="item answer tone-done">
          <div className="item-head">
            <span className="who">answer</span>
            <EventLink item={item} go={props.go} />
          </div>
          <LongText text={item.text} lines={60} />
        </article>
      );
    case 'notice':
      return <NoticeItem {...props} item={item} />;
    default:
      return item satisfies never;
  }
}

const speakerLabels = { user: 'you', steer: 'you, while it worked', automatic: 'said by no person' } as const;

function UserMessageItem({ item, go }: TranscriptItemProps<'said'>) {
  return (
    <article className="item said tone-user">
      <div className="item-head">
        <span className="who">{speakerLabels[item.by]}</span>
        <EventLink item={item} go={go} />
      </div>
      <LongText text={item.text} />
    </article>
  );
}

function ReplyItem({ item, go, showPrompt, detail }: TranscriptItemProps<'reply'>) {
  const { askedAt } = item;
  return (
    <article className="item reply tone-model">
      <div className="item-head">
        <span className="who">model</span>
        <span className="faint">{formatReplyFacts(item)}</span>
        {askedAt !== null && detail.kind === 'kept' && (
          <button type="button" className="link" onClick={() => showPrompt(askedAt)}>
            exact prompt
          </button>
        )}
        <EventLink item={item} go={go} />
      </div>
      {item.advice !== null && (
        <details className="advice">
          <summary>was given advice</summary>
          <LongText text={item.advice} />
        </details>
      )}
      {item.problem !== null && <p className="bad-text">Not understood: {escapeUnsafeText(item.problem)}</p>}
      {item.text.trim() === '' ? null : <LongText text={item.text} />}
      {item.dropped > 0 && (
        <p className="faint">Dropped: {formatCount(item.dropped, 'call')} of this reply.</p>
      )}
    </article>
  );
}

function formatReplyFacts({ usage, tookMs, attempt }: TranscriptReply): string {
  return [
    tookMs === null ? '' : formatElapsedTime(tookMs),
    usage === null
      ? ''
      : `${usage.inputTokens.toLocaleString('en')} → ${usage.outputTokens.toLocaleString('en')} tokens`,
    attempt > 1 ? `attempt ${attempt}` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function NoticeItem({ item, go }: TranscriptItemProps<'notice'>) {
  const { view, seq } = item satisfies TranscriptNotice;
  return (
    <article className={`item notice tone-${item.tone}`}>
      <span className="notice-title">{toSafeLine(item.title)}</span>
      {item.text !== '' && <span className="notice-text">{toSafeLine(item.text, 600)}</span>}
      {view !== null && (
        <button type="button" className="link" onClick={() => go({ seq, view })}>
          {view}
        </button>
      )}
      <EventLink item={item} go={go} />
    </article>
  );
}
