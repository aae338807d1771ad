import { useState } from 'react';
import type { Json } from '@pawl/core';
import { formatOutcome } from '@pawl/core/projections';
import { formatElapsedTime, formatLocalClock } from '../../app/format.ts';
import { ApprovalDecision } from '../approvals/approval-decision.tsx';
import { escapeUnsafeText, toSafeLine } from '../../app/safe-text.ts';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import type { ToolCard, TranscriptEntry } from './transcript-model.ts';
import type { SessionViewProps } from '../../app/view-props.ts';

/** A tool call as a card: one line when collapsed, all details when expanded. */
export function ToolCallItem({ item, at, live, navigate, send, isFollowing }: TranscriptItemProps<'call'>) {
  const [isOpen, setOpen] = useState(false);
  const state = getToolCallState(item, at);
  const progress = live?.progress.get(item.callId);
  const isAwaitingApproval =
    state.label === 'awaiting approval' && isFollowing && item.approvalRequest !== null;
  return (
    <article className={`item call tone-${state.tone}`} data-call={item.callId} data-state={state.label}>
      <div className="item-head">
        <button type="button" className="card-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <code className="tool">{toSafeLine(item.tool)}</code>
          <span className="args">{formatArguments(item.args)}</span>
        </button>
        <span className="call-state">
          {state.label}
          {state.tookMs !== null && ` · ${formatElapsedTime(state.tookMs)}`}
        </span>
        <EventLink item={item} navigate={navigate} />
      </div>
      {!isOpen && <OutcomePreview item={item} at={at} />}
      {progress !== undefined && <p className="progress mono">{toSafeLine(progress, 400)}</p>}
      {isAwaitingApproval && send !== null && item.approvalRequest !== null && (
        <ApprovalDecision callId={item.callId} request={item.approvalRequest.request} send={send} />
      )}
      {isOpen && <ToolCallDetails item={item} at={at} />}
    </article>
  );
}

/** Failures are visible without expanding the card. */
function OutcomePreview({ item: { result }, at }: { readonly item: ToolCard; readonly at: number }) {
  if (result === null || result.seq > at) return null;
  if (!result.outcome.ok)
    return <p className="bad-text peek">{toSafeLine(formatOutcome(result.outcome), 400)}</p>;
  const files = result.files.length === 0 ? '' : `changed ${result.files.join(', ')}`;
  const tests =
    result.tests === null ? '' : `${result.tests.passed} tests passed, ${result.tests.failed} failed`;
  const facts = [files, tests].filter((part) => part !== '').join(' · ');
  return (
    <p className="peek faint">{toSafeLine(facts === '' ? formatOutcome(result.outcome) : facts, 160)}</p>
  );
}

function ToolCallDetails({ item, at }: { readonly item: ToolCard; readonly at: number }) {
  const { result, decision, callId } = item;
  const isEnded = result !== null && result.seq <= at;
  return (
    <div className="card-body">
      <h3>Arguments</h3>
      <JsonView value={item.args} expandedDepth={1} />
      {decision !== null && decision.seq <= at && (
        <p>
          {decision.decision === 'allow' ? 'Allowed' : 'Denied'}
          {decision.reason === null ? '' : `: ${escapeUnsafeText(decision.reason)}`}
        </p>
      )}
      {isEnded && (
        <>
          <h3>{result.outcome.ok ? 'Result' : `Failed: ${result.outcome.error.kind}`}</h3>
          {result.outcome.ok && typeof result.outcome.output !== 'string' ? (
            <JsonView value={result.outcome.output} expandedDepth={1} />
          ) : (
            <LongText text={formatOutcome(result.outcome)} mono />
          )}
          {result.files.length > 0 && <p>Changed {escapeUnsafeText(result.files.join(', '))}</p>}
        </>
      )}
      <p className="faint mono">{toSafeLine(callId)}</p>
    </div>
  );
}

type ToolCallState = { readonly label: string; readonly tone: string; readonly tookMs: number | null };

/** Returns the state of the call at the given event. */
function getToolCallState({ approvalRequest, decision, start, result }: ToolCard, at: number): ToolCallState {
  if (result !== null && result.seq <= at) {
    const tookMs = start === null ? null : Math.max(0, result.at - start.at);
    return result.outcome.ok
      ? { label: 'done', tone: 'tools', tookMs }
      : { label: result.outcome.error.kind, tone: 'halted', tookMs };
  }
  if (start !== null && start.seq <= at) return { label: 'running', tone: 'tools', tookMs: null };
  if (decision !== null && decision.seq <= at)
    return { label: decision.decision === 'allow' ? 'allowed' : 'denied', tone: 'permission', tookMs: null };
  if (approvalRequest !== null && approvalRequest.seq <= at)
    return { label: 'awaiting approval', tone: 'permission', tookMs: null };
  return { label: 'queued', tone: 'check', tookMs: null };
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

export type TranscriptItemProps<Kind extends TranscriptEntry['kind'] = TranscriptEntry['kind']> =
  SessionViewProps & {
    readonly item: Extract<TranscriptEntry, { readonly kind: Kind }>;
    readonly showPrompt: (seq: number) => void;
  };

/** Shows the time of an event and links to it. */
export function EventLink({ item: { seq, at }, navigate }: Pick<TranscriptItemProps, 'item' | 'navigate'>) {
  return (
    <button
      type="button"
      className="place-link"
      title={`Select event ${seq}`}
      onClick={() => navigate({ seq })}
    >
      <span className="clock">{formatLocalClock(at)} </span>
      <span className="seq">#{seq}</span>
    </button>
  );
}
