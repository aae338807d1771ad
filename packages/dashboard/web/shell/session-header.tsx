import type { ReactNode } from 'react';
import type { Session } from '@pawl/core';
import { countTotalTokens, type SessionTotals } from '@pawl/core/projections';
import type { ConnectionStatus } from '../app/stream-subscription.ts';
import { formatAmount, formatDayTime, formatCost } from '../app/format.ts';
import { ConnectionIndicator } from './page-header.tsx';
import { parsePageRoute, formatSessionAddress } from '../app/page-route.ts';
import { buildCurlCommand } from '../app/api.ts';
import { useTitle } from '../app/router.ts';
import type { SessionViewProps } from '../app/view-props.ts';
import { toSafeLine } from '../app/safe-text.ts';
import { CopyButton } from '../app/widgets/copy-button.tsx';
import { StatusPill } from '../app/widgets/status-pill.tsx';

type SessionHeaderProps = SessionViewProps & {
  readonly connection: ConnectionStatus | null;
  readonly children: ReactNode;
};

/** Shows the session's goal, its state at the selected event, and the buttons that copy a link or the events. */
export function SessionHeader({
  timeline,
  at,
  isFollowing,
  detail,
  connection,
  children,
}: SessionHeaderProps) {
  const session = timeline.stateAt(at);
  const title = getSessionTitle(detail);
  useTitle(title);
  return (
    <header className="session-header">
      <div className="session-title">
        <h1 title={toSafeLine(title, 2_000)}>{toSafeLine(title, 400)}</h1>
        {connection !== null && connection !== 'live' && <ConnectionIndicator connection={connection} />}
        <details className="menu">
          <summary>Copy</summary>
          <div className="menu-inside">
            <CopyButton label="Link to this event" text={() => buildShareLink(detail, at)} />
            <CopyButton label="State as JSON" text={() => JSON.stringify(session, null, 2)} />
            <CopyButton label="Events as JSON" text={() => formatEventsJson(timeline, at)} />
            {detail.kind === 'stored' && (
              <CopyButton
                label="cURL of the events"
                text={() => buildCurlCommand(`/sessions/${encodeURIComponent(detail.id)}/events`)}
              />
            )}
          </div>
        </details>
      </div>
      <div className="facts" role="group" aria-label="About this session" tabIndex={0}>
        <StatusPill status={session.turn.status} isLive={isFollowing} />
        <SessionFactsList session={session} totals={timeline.totalsAt(at)} />
        <SessionOrigin detail={detail} />
      </div>
      {children}
    </header>
  );
}

function SessionFactsList({
  session: { mode, phases },
  totals,
}: {
  readonly session: Session;
  readonly totals: SessionTotals;
}) {
  const { current, total } = phases;
  return (
    <>
      {mode !== null && <SessionFact name="mode">{mode.state}</SessionFact>}
      {current !== null && (
        <SessionFact name="phase">
          {current.number}
          {total === null ? '' : ` of ${total}`}: {toSafeLine(current.description, 60)}
        </SessionFact>
      )}
      <SessionFact name="replies">{totals.replies}</SessionFact>
      <SessionFact name="calls">{totals.toolCalls}</SessionFact>
      <SessionFact name="tokens">{formatAmount(countTotalTokens(totals))}</SessionFact>
      {totals.cost !== null && totals.cost > 0 && (
        <SessionFact name="cost">{formatCost(totals.cost)}</SessionFact>
      )}
    </>
  );
}

function SessionOrigin({ detail }: Pick<SessionViewProps, 'detail'>) {
  if (detail.kind === 'imported') {
    return (
      <>
        <SessionFact name="imported from">{toSafeLine(detail.format)}</SessionFact>
        {detail.model !== null && <SessionFact name="model">{toSafeLine(detail.model)}</SessionFact>}
      </>
    );
  }
  return (
    <>
      {detail.model !== null && <SessionFact name="model">{toSafeLine(detail.model)}</SessionFact>}
      <SessionFact name="profile">{toSafeLine(detail.profile)}</SessionFact>
      <SessionFact name="id">
        <code>{detail.short}</code>
      </SessionFact>
      <SessionFact name="started">{formatDayTime(detail.createdAt)}</SessionFact>
      {detail.holder !== 'nobody' && <SessionFact name="runs on">{detail.holder}</SessionFact>}
      {detail.parent !== null && (
        <SessionFact name="forked from">
          <a href={formatSessionAddress({ id: detail.parent.id }, 'events', detail.parent.at)}>
            {detail.parent.id.slice(0, 8)} at {detail.parent.at}
          </a>
        </SessionFact>
      )}
    </>
  );
}

function SessionFact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className="fact">
      <span className="fact-name">{name}</span> {children}
    </span>
  );
}

function getSessionTitle(detail: SessionViewProps['detail']): string {
  return detail.kind === 'stored' ? (detail.goal ?? 'No message yet') : detail.name;
}

function buildShareLink({ kind, id }: SessionViewProps['detail'], at: number): string {
  const { view } = getCurrentView();
  const address = formatSessionAddress({ page: kind === 'stored' ? 'session' : 'imported', id }, view, at);
  return `${location.origin}${location.pathname}${address}`;
}

function getCurrentView(): { readonly view: Parameters<typeof formatSessionAddress>[1] } {
  const route = parsePageRoute(location.hash);
  return { view: route.page === 'session' || route.page === 'imported' ? route.view : 'transcript' };
}

function formatEventsJson(timeline: SessionViewProps['timeline'], at: number): string {
  const events = [];
  for (let index = 0; index <= timeline.indexOf(at); index += 1) {
    const { seq, event } = timeline.entry(index);
    events.push({ seq, event });
  }
  return JSON.stringify(events, null, 2);
}
