import { counted, duration } from '../../app/format.ts';
import { visible, visibleLine } from '../../app/visible.ts';
import { LongText } from '../../app/widgets/long-text.tsx';
import { CallItem } from './call-item.tsx';
import { Place, type ItemProps } from './item-parts.tsx';
import type { Notice } from './notices.ts';
import type { Reply } from './transcript-model.ts';

export function TranscriptItem(props: ItemProps) {
  const { item } = props;
  switch (item.kind) {
    case 'said':
      return <Said {...props} item={item} />;
    case 'reply':
      return <ReplyItem {...props} item={item} />;
    case 'call':
      return <CallItem {...props} item={item} />;
    case 'answer':
      return (
        <article className="item answer tone-done">
          <div className="item-head">
            <span className="who">answer</span>
            <Place item={item} go={props.go} />
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

const speakers = { user: 'you', steer: 'you, while it worked', automatic: 'said by no person' } as const;

function Said({ item, go }: ItemProps<'said'>) {
  return (
    <article className="item said tone-user">
      <div className="item-head">
        <span className="who">{speakers[item.by]}</span>
        <Place item={item} go={go} />
      </div>
      <LongText text={item.text} />
    </article>
  );
}

function ReplyItem({ item, go, showPrompt, detail }: ItemProps<'reply'>) {
  const { askedAt } = item;
  return (
    <article className="item reply tone-model">
      <div className="item-head">
        <span className="who">model</span>
        <span className="faint">{replyFacts(item)}</span>
        {askedAt !== null && detail.kind === 'kept' && (
          <button type="button" className="link" onClick={() => showPrompt(askedAt)}>
            exact prompt
          </button>
        )}
        <Place item={item} go={go} />
      </div>
      {item.advice !== null && (
        <details className="advice">
          <summary>was given advice</summary>
          <LongText text={item.advice} />
        </details>
      )}
      {item.problem !== null && <p className="bad-text">Not understood: {visible(item.problem)}</p>}
      {item.text.trim() === '' ? null : <LongText text={item.text} />}
      {item.dropped > 0 && <p className="faint">Dropped: {counted(item.dropped, 'call')} of this reply.</p>}
    </article>
  );
}

function replyFacts({ usage, tookMs, attempt }: Reply): string {
  return [
    tookMs === null ? '' : duration(tookMs),
    usage === null
      ? ''
      : `${usage.inputTokens.toLocaleString('en')} → ${usage.outputTokens.toLocaleString('en')} tokens`,
    attempt > 1 ? `attempt ${attempt}` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function NoticeItem({ item, go }: ItemProps<'notice'>) {
  const { view, seq } = item satisfies Notice;
  return (
    <article className={`item notice tone-${item.tone}`}>
      <span className="notice-title">{visibleLine(item.title)}</span>
      {item.text !== '' && <span className="notice-text">{visibleLine(item.text, 600)}</span>}
      {view !== null && (
        <button type="button" className="link" onClick={() => go({ seq, view })}>
          {view}
        </button>
      )}
      <Place item={item} go={go} />
    </article>
  );
}
