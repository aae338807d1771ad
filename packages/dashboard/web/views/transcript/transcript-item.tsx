import { formatCount, formatElapsedTime } from '../../app/format.ts';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import { ToolCallItem, EventLink, type TranscriptItemProps } from './tool-call-item.tsx';
import type { TranscriptNotice } from './notices.ts';
import type { TranscriptReply } from './transcript-model.ts';

export function TranscriptItem(props: TranscriptItemProps) {
  const { item } = props;
  switch (item.kind) {
    case 'message':
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
            <EventLink item={item} navigate={props.navigate} />
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

const speakerLabels = { user: 'you', steering: 'you (steering)', automatic: 'automatic' } as const;

function UserMessageItem({ item, navigate }: TranscriptItemProps<'message'>) {
  return (
    <article className="item said tone-user">
      <div className="item-head">
        <span className="who">{speakerLabels[item.author]}</span>
        <EventLink item={item} navigate={navigate} />
      </div>
      <LongText text={item.text} />
    </article>
  );
}

function ReplyItem({ item, navigate, showPrompt, detail }: TranscriptItemProps<'reply'>) {
  const { requestSeq } = item;
  return (
    <article className="item reply tone-model">
      <div className="item-head">
        <span className="who">model</span>
        <span className="faint">{formatReplyFacts(item)}</span>
        {requestSeq !== null && detail.kind === 'stored' && (
          <button type="button" className="link" onClick={() => showPrompt(requestSeq)}>
            exact prompt
          </button>
        )}
        <EventLink item={item} navigate={navigate} />
      </div>
      {item.advice !== null && (
        <details className="advice">
          <summary>received advice</summary>
          <LongText text={item.advice} />
        </details>
      )}
      {item.problem !== null && (
        <p className="bad-text">Unreadable reply: {escapeUnsafeText(item.problem)}</p>
      )}
      {item.text.trim() === '' ? null : <LongText text={item.text} />}
      {item.dropped > 0 && (
        <p className="faint">{formatCount(item.dropped, 'call')} of this reply dropped.</p>
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

function NoticeItem({ item, navigate }: TranscriptItemProps<'notice'>) {
  const { view, seq } = item satisfies TranscriptNotice;
  return (
    <article className={`item notice tone-${item.tone}`}>
      <span className="notice-title">{toSafeLine(item.title)}</span>
      {item.text !== '' && <span className="notice-text">{toSafeLine(item.text, 600)}</span>}
      {view !== null && (
        <button type="button" className="link" onClick={() => navigate({ seq, view })}>
          {view}
        </button>
      )}
      <EventLink item={item} navigate={navigate} />
    </article>
  );
}
