import type { ReactNode } from 'react';
import type { Session } from '@pawl/core';
import type { Connection } from './follow.ts';
import { amount, dayTime, money } from './format.ts';
import { ConnectionLight } from './header.tsx';
import { readRoute, sessionAddress } from './route.ts';
import { curlFor } from './curl.ts';
import type { Totals } from './totals.ts';
import { useTitle } from './use-title.ts';
import type { SessionViewProps } from './view-props.ts';
import { visibleLine } from './visible.ts';
import { CopyButton } from './widgets/copy-button.tsx';
import { StatusPill } from './widgets/status-pill.tsx';

type SessionHeaderProps = SessionViewProps & {
  readonly connection: Connection | null;
  readonly children: ReactNode;
};

/** What the session is about, where it stands at the event looked at, and how to take a piece of it elsewhere. */
export function SessionHeader({ track, at, isFollowing, detail, connection, children }: SessionHeaderProps) {
  const session = track.at(at);
  const title = titleOf(detail);
  useTitle(title);
  return (
    <header className="session-header">
      <div className="session-title">
        <h1 title={visibleLine(title, 2_000)}>{visibleLine(title, 400)}</h1>
        {connection !== null && connection !== 'live' && <ConnectionLight connection={connection} />}
        <details className="menu">
          <summary>Copy</summary>
          <div className="menu-inside">
            <CopyButton label="Link to this event" text={() => linkTo(detail, at)} />
            <CopyButton label="State as JSON" text={() => JSON.stringify(session, null, 2)} />
            <CopyButton label="Events as JSON" text={() => eventsText(track, at)} />
            {detail.kind === 'kept' && (
              <CopyButton
                label="cURL of the events"
                text={() => curlFor(`/sessions/${encodeURIComponent(detail.id)}/events`)}
              />
            )}
          </div>
        </details>
      </div>
      <div className="facts" role="group" aria-label="About this session" tabIndex={0}>
        <StatusPill status={session.turn.status} isLive={isFollowing} />
        <Facts session={session} totals={track.totalsAt(at)} />
        <About detail={detail} />
      </div>
      {children}
    </header>
  );
}

function Facts({
  session: { mode, phases },
  totals,
}: {
  readonly session: Session;
  readonly totals: Totals;
}) {
  const { current, total } = phases;
  return (
    <>
      {mode !== null && <Fact name="mode">{mode.state}</Fact>}
      {current !== null && (
        <Fact name="phase">
          {current.number}
          {total === null ? '' : ` of ${total}`}: {visibleLine(current.description, 60)}
        </Fact>
      )}
      <Fact name="replies">{totals.replies}</Fact>
      <Fact name="calls">{totals.calls}</Fact>
      <Fact name="tokens">{amount(totals.tokens)}</Fact>
      {totals.cost > 0 && <Fact name="cost">{money(totals.cost)}</Fact>}
    </>
  );
}

function About({ detail }: Pick<SessionViewProps, 'detail'>) {
  if (detail.kind === 'imported') {
    return (
      <>
        <Fact name="imported from">{visibleLine(detail.format)}</Fact>
        {detail.model !== null && <Fact name="model">{visibleLine(detail.model)}</Fact>}
      </>
    );
  }
  return (
    <>
      {detail.model !== null && <Fact name="model">{visibleLine(detail.model)}</Fact>}
      <Fact name="profile">{visibleLine(detail.profile)}</Fact>
      <Fact name="id">
        <code>{detail.short}</code>
      </Fact>
      <Fact name="begun">{dayTime(detail.createdAt)}</Fact>
      {detail.holder !== 'nobody' && <Fact name="runs">{detail.holder}</Fact>}
      {detail.parent !== null && (
        <Fact name="forked from">
          <a href={sessionAddress({ id: detail.parent.id }, 'events', detail.parent.at)}>
            {detail.parent.id.slice(0, 8)} at {detail.parent.at}
          </a>
        </Fact>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span className="fact">
      <span className="fact-name">{name}</span> {children}
    </span>
  );
}

function titleOf(detail: SessionViewProps['detail']): string {
  return detail.kind === 'kept' ? (detail.goal ?? 'Nothing was said yet') : detail.name;
}

function linkTo({ kind, id }: SessionViewProps['detail'], at: number): string {
  const { view } = viewNow();
  const address = sessionAddress({ page: kind === 'kept' ? 'session' : 'imported', id }, view, at);
  return `${location.origin}${location.pathname}${address}`;
}

function viewNow(): { readonly view: Parameters<typeof sessionAddress>[1] } {
  const route = readRoute(location.hash);
  return { view: route.page === 'session' || route.page === 'imported' ? route.view : 'transcript' };
}

function eventsText(track: SessionViewProps['track'], at: number): string {
  const events = [];
  for (let index = 0; index <= track.indexOf(at); index += 1) {
    const { seq, event } = track.entry(index);
    events.push({ seq, event });
  }
  return JSON.stringify(events, null, 2);
}
