import { useState } from 'react';
import type { Json } from '@pawl/core';
import { formatElapsedTime } from '../../app/format.ts';
import { ApprovalDecision } from '../approvals/approval-decision.tsx';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { formatOutcome } from '../events/events-model.ts';
import { EventLink, type TranscriptItemProps } from './event-link.tsx';
import type { ToolCard } from './transcript-model.ts';

/** A tool call as a card: one line when collapsed, all details when expanded. */
export function ToolCallItem({ item, at, live, go, send, isFollowing }: TranscriptItemProps<'call'>) {
  const [isOpen, setOpen] = useState(false);
  const state = getToolCallState(item, at);
  const progress = live?.progress.get(item.callId);
  const asks = state.word === 'asks for permission' && isFollowing && item.asked !== null;
  return (
    <article className={`item call tone-${state.tone}`} data-call={item.callId} data-state={state.word}>
      <div className="item-head">
        <button type="button" className="card-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <code className="tool">{toSafeLine(item.tool)}</code>
          <span className="args">{formatArguments(item.args)}</span>
        </button>
        <span className="call-state">
          {state.word}
          {state.tookMs !== null && ` · ${formatElapsedTime(state.tookMs)}`}
        </span>
        <EventLink item={item} go={go} />
      </div>
      {!isOpen && <OutcomePreview item={item} at={at} />}
      {progress !== undefined && <p className="progress mono">{toSafeLine(progress, 400)}</p>}
      {asks && send !== null && item.asked !== null && (
        <ApprovalDecision callId={item.callId} request={item.asked.request} send={send} />
      )}
      {isOpen && <ToolCallDetails item={item} at={at} />}
    </article>
  );
}

/** Failures are visible without expanding the card. */
function OutcomePreview({ item: { ended }, at }: { readonly item: ToolCard; readonly at: number }) {
  if (ended === null || ended.seq > at) return null;
  if (!ended.outcome.ok)
    return <p className="bad-text peek">{toSafeLine(formatOutcome(ended.outcome), 400)}</p>;
  const files = ended.files.length === 0 ? '' : `changed ${ended.files.join(', ')}`;
  const tests =
    ended.tests === null ? '' : `${ended.tests.passed} tests passed, ${ended.tests.failed} failed`;
  const said = [files, tests].filter((part) => part !== '').join(' · ');
  return <p className="peek faint">{toSafeLine(said === '' ? formatOutcome(ended.outcome) : said, 160)}</p>;
}

function ToolCallDetails({ item, at }: { readonly item: ToolCard; readonly at: number }) {
  const { ended, decided, callId } = item;
  const isEnded = ended !== null && ended.seq <= at;
  return (
    <div className="card-body">
      <h3>Arguments</h3>
      <JsonView value={item.args} open={1} />
      {decided !== null && decided.seq <= at && (
        <p>
          {decided.decision === 'allow' ? 'Allowed' : 'Denied'}
          {decided.reason === null ? '' : `: ${escapeUnsafeText(decided.reason)}`}
        </p>
      )}
      {isEnded && (
        <>
          <h3>{ended.outcome.ok ? 'Result' : `Failed: ${ended.outcome.error.kind}`}</h3>
          {ended.outcome.ok && typeof ended.outcome.output !== 'string' ? (
            <JsonView value={ended.outcome.output} open={1} />
          ) : (
            <LongText text={formatOutcome(ended.outcome)} mono />
          )}
          {ended.files.length > 0 && <p>Changed {escapeUnsafeText(ended.files.join(', '))}</p>}
        </>
      )}
      <p className="faint mono">{toSafeLine(callId)}</p>
    </div>
  );
}

type ToolCallState = { readonly word: string; readonly tone: string; readonly tookMs: number | null };

/** Returns the state of the call at the given event. */
function getToolCallState({ asked, decided, started, ended }: ToolCard, at: number): ToolCallState {
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

/** Formats the arguments in one line; for most calls a single argument is enough. */
function formatArguments(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return toSafeLine(JSON.stringify(args), 160);
  const parts = Object.entries(args).map(([key, value]) =>
    typeof value === 'string'
      ? `${key}: ${value.slice(0, 160)}`
      : `${key}: ${JSON.stringify(value)?.slice(0, 160)}`,
  );
  return toSafeLine(parts.join('  '), 200);
}
