import { useState } from 'react';
import type { Json } from '@pawl/core';
import { duration } from '../../app/format.ts';
import { Decide } from '../approvals/decide.tsx';
import { visible, visibleLine } from '../../app/visible.ts';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { outcomeText } from '../events/events-model.ts';
import { Place, type ItemProps } from './item-parts.tsx';
import type { CallCard } from './transcript-model.ts';

/** A call as a card: one line while closed, everything about it when opened. */
export function CallItem({ item, at, live, go, send, isFollowing }: ItemProps<'call'>) {
  const [isOpen, setOpen] = useState(false);
  const state = stateAt(item, at);
  const progress = live?.progress.get(item.callId);
  const asks = state.word === 'asks for permission' && isFollowing && item.asked !== null;
  return (
    <article className={`item call tone-${state.tone}`} data-call={item.callId} data-state={state.word}>
      <div className="item-head">
        <button type="button" className="card-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <code className="tool">{visibleLine(item.tool)}</code>
          <span className="args">{argsLine(item.args)}</span>
        </button>
        <span className="call-state">
          {state.word}
          {state.tookMs !== null && ` · ${duration(state.tookMs)}`}
        </span>
        <Place item={item} go={go} />
      </div>
      {!isOpen && <Peek item={item} at={at} />}
      {progress !== undefined && <p className="progress mono">{visibleLine(progress, 400)}</p>}
      {asks && send !== null && item.asked !== null && (
        <Decide callId={item.callId} request={item.asked.request} send={send} />
      )}
      {isOpen && <Opened item={item} at={at} />}
    </article>
  );
}

/** Failures are never hidden behind a click. */
function Peek({ item: { ended }, at }: { readonly item: CallCard; readonly at: number }) {
  if (ended === null || ended.seq > at) return null;
  if (!ended.outcome.ok)
    return <p className="bad-text peek">{visibleLine(outcomeText(ended.outcome), 400)}</p>;
  const files = ended.files.length === 0 ? '' : `changed ${ended.files.join(', ')}`;
  const tests =
    ended.tests === null ? '' : `${ended.tests.passed} tests passed, ${ended.tests.failed} failed`;
  const said = [files, tests].filter((part) => part !== '').join(' · ');
  return <p className="peek faint">{visibleLine(said === '' ? outcomeText(ended.outcome) : said, 160)}</p>;
}

function Opened({ item, at }: { readonly item: CallCard; readonly at: number }) {
  const { ended, decided, callId } = item;
  const isEnded = ended !== null && ended.seq <= at;
  return (
    <div className="card-body">
      <h3>Arguments</h3>
      <JsonView value={item.args} open={1} />
      {decided !== null && decided.seq <= at && (
        <p>
          {decided.decision === 'allow' ? 'Allowed' : 'Denied'}
          {decided.reason === null ? '' : `: ${visible(decided.reason)}`}
        </p>
      )}
      {isEnded && (
        <>
          <h3>{ended.outcome.ok ? 'Result' : `Failed: ${ended.outcome.error.kind}`}</h3>
          {ended.outcome.ok && typeof ended.outcome.output !== 'string' ? (
            <JsonView value={ended.outcome.output} open={1} />
          ) : (
            <LongText text={outcomeText(ended.outcome)} mono />
          )}
          {ended.files.length > 0 && <p>Changed {visible(ended.files.join(', '))}</p>}
        </>
      )}
      <p className="faint mono">{visibleLine(callId)}</p>
    </div>
  );
}

type CallState = { readonly word: string; readonly tone: string; readonly tookMs: number | null };

/** How far the call was at that event. */
function stateAt({ asked, decided, started, ended }: CallCard, at: number): CallState {
  if (ended !== null && ended.seq <= at) {
    const tookMs = started === null ? null : Math.max(0, ended.at - started.at);
    return ended.outcome.ok
      ? { word: 'done', tone: 'tools', tookMs }
      : { word: ended.outcome.error.kind, tone: 'halted', tookMs };
  }
  if (started !== null && started.seq <= at) return { word: 'runs', tone: 'tools', tookMs: null };
  if (decided !== null && decided.seq <= at)
    return { word: decided.decision === 'allow' ? 'allowed' : 'denied', tone: 'permission', tookMs: null };
  if (asked !== null && asked.seq <= at)
    return { word: 'asks for permission', tone: 'permission', tookMs: null };
  return { word: 'waits', tone: 'check', tookMs: null };
}

/** The arguments on one line: of most calls one of them says it all. */
function argsLine(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return visibleLine(JSON.stringify(args), 160);
  const parts = Object.entries(args).map(([key, value]) =>
    typeof value === 'string'
      ? `${key}: ${value.slice(0, 160)}`
      : `${key}: ${JSON.stringify(value)?.slice(0, 160)}`,
  );
  return visibleLine(parts.join('  '), 200);
}
