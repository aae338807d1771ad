import { lazy, Suspense, useCallback, type ComponentType, type ReactNode } from 'react';
import { EventsView } from '../views/events/events.tsx';
import { GovernorStrip, GovernorView } from '../views/governor/governor.tsx';
import { TranscriptView } from '../views/transcript/transcript.tsx';
import { apiClient } from '../app/api.ts';
import type { CommandRequest } from '../app/api-types.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { EventScrubber } from './event-scrubber.tsx';
import type { ConnectionStatus } from '../app/stream-subscription.ts';
import type { LiveOutput } from '../app/live-output.ts';
import { formatSessionAddress, viewNames, type ViewName } from '../app/page-route.ts';
import { replaceAddress, openAddress } from '../app/router.ts';
import { SessionControls } from './session-controls.tsx';
import { SessionHeader } from './session-header.tsx';
import type { ReplayedTimeline } from '../app/replayed-timeline.ts';
import { useKeys } from '../app/use-keys.ts';
import type { ViewedSession, SessionViewProps } from '../app/view-props.ts';
import { LoadingState } from '../app/widgets/state-messages.tsx';

/** Views with graphics are loaded on demand. */
const LazyChartView = lazy(async () => ({ default: (await import('../views/chart/chart.tsx')).ChartView }));
const LazyTimelineView = lazy(async () => ({
  default: (await import('../views/timeline/timeline.tsx')).TimelineView,
}));
const LazyWhyView = lazy(async () => ({ default: (await import('../views/why/why.tsx')).WhyView }));
const LazyMemoryView = lazy(async () => ({
  default: (await import('../views/memory/memory.tsx')).MemoryView,
}));

const viewComponents: Readonly<Record<ViewName, ComponentType<SessionViewProps>>> = {
  transcript: TranscriptView,
  events: EventsView,
  chart: LazyChartView,
  timeline: LazyTimelineView,
  why: LazyWhyView,
  governor: GovernorView,
  memory: LazyMemoryView,
};

const viewKeys: Readonly<Record<ViewName, string>> = {
  transcript: 'g t',
  events: 'g e',
  chart: 'g c',
  timeline: 'g l',
  why: 'g w',
  governor: 'g g',
  memory: 'g m',
};

export type SessionShellProps = {
  readonly detail: ViewedSession;
  readonly timeline: ReplayedTimeline;
  readonly version: number;
  readonly live: LiveOutput | null;
  readonly view: ViewName;
  /** The event in the address; null to follow the latest one. */
  readonly requestedSeq: number | null;
  readonly connection: ConnectionStatus | null;
  /** Expected number of events while the existing ones load; null afterwards. */
  readonly expectedEvents: number | null;
  readonly send: ((command: CommandRequest) => Promise<void>) | null;
};

/** The frame of all session views: the header, the tabs and the control bar. */
export function SessionShell(props: SessionShellProps) {
  const { detail, timeline, version, live, view, requestedSeq, connection, expectedEvents, send } = props;
  // The address may name an event that is not loaded yet.
  const isFollowing = requestedSeq === null || (requestedSeq >= timeline.head && expectedEvents === null);
  const at = isFollowing
    ? timeline.head
    : Math.max(timeline.created.seq, Math.min(requestedSeq, timeline.head));
  const navigate = useSessionNavigation(detail, view, requestedSeq);
  const viewProps: SessionViewProps = {
    timeline,
    version,
    at,
    isFollowing,
    detail,
    live: isFollowing ? live : null,
    api: apiClient,
    navigate,
    send,
  };
  useViewKeys(navigate);
  const View = viewComponents[view];
  return (
    <div className="session">
      <SessionHeader {...viewProps} connection={connection}>
        <GovernorStrip {...viewProps} />
      </SessionHeader>
      <ViewTabs view={view} navigate={navigate} />
      {expectedEvents !== null && <LoadProgress loaded={timeline.length} total={expectedEvents} />}
      <div className="view" role="tabpanel" id="view" aria-labelledby={`tab-${view}`}>
        <ErrorBoundary key={view}>
          <Suspense fallback={<LoadingState what={view} />}>
            <View {...viewProps} />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ControlBar {...viewProps} />
    </div>
  );
}

function useSessionNavigation(
  detail: ViewedSession,
  view: ViewName,
  requestedSeq: number | null,
): SessionViewProps['navigate'] {
  const { kind, id } = detail;
  return useCallback(
    (to) => {
      const page = kind === 'imported' ? 'imported' : 'session';
      const seq = to.seq === undefined ? requestedSeq : to.seq === 'now' ? null : to.seq;
      const address = formatSessionAddress({ page, id }, to.view ?? view, seq);
      // Opening another view adds a history entry; selecting another event does not.
      if (to.view === undefined || to.view === view) replaceAddress(address);
      else openAddress(address);
    },
    [kind, id, view, requestedSeq],
  );
}

function useViewKeys(navigate: SessionViewProps['navigate']): void {
  useKeys(
    'Session views',
    viewNames.map((name) => ({
      keys: viewKeys[name],
      description: name.slice(0, 1).toUpperCase() + name.slice(1),
      run: () => navigate({ view: name }),
    })),
  );
}

function ViewTabs({
  view,
  navigate,
}: {
  readonly view: ViewName;
  readonly navigate: SessionViewProps['navigate'];
}): ReactNode {
  const focusTab = (offset: number): void => {
    const next = viewNames[(viewNames.indexOf(view) + offset + viewNames.length) % viewNames.length];
    if (next === undefined) return;
    navigate({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Session views">
      {viewNames.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === view}
          aria-controls="view"
          tabIndex={name === view ? 0 : -1}
          onClick={() => navigate({ view: name })}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') focusTab(1);
            else if (event.key === 'ArrowLeft') focusTab(-1);
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function LoadProgress({ loaded, total }: { readonly loaded: number; readonly total: number }) {
  return (
    <div className="filling" role="status">
      <progress max={Math.max(1, total)} value={loaded} aria-label="Events loaded" />
      <span>
        {loaded.toLocaleString('en')} of {total.toLocaleString('en')} events replayed
      </span>
    </div>
  );
}

/** The bar at the bottom of the page, with the event scrubber and the session controls. */
function ControlBar(props: SessionViewProps) {
  const { detail, send } = props;
  return (
    <section className="control-bar" aria-label="Time travel and control">
      <EventScrubber {...props} />
      {send !== null && <SessionControls {...props} send={send} />}
      {send === null && detail.kind === 'stored' && (
        <p className="why-not">{detail.why ?? 'This session accepts no commands here.'}</p>
      )}
    </section>
  );
}
