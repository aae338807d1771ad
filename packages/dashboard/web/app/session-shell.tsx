import { lazy, Suspense, useCallback, type ComponentType, type ReactNode } from 'react';
import { EventsView } from '../views/events/events.tsx';
import { GovernorStrip, GovernorView } from '../views/governor/governor.tsx';
import { TranscriptView } from '../views/transcript/transcript.tsx';
import { apiClient } from './api.ts';
import type { CommandRequest } from './api-types.ts';
import { ControlBar } from './control-bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import type { ConnectionStatus } from './stream-subscription.ts';
import type { LiveOutput } from './live-output.ts';
import { formatSessionAddress } from './page-route.ts';
import { replaceAddress, openAddress } from './router.ts';
import { SessionHeader } from './session-header.tsx';
import type { ReplayedTimeline } from './replayed-timeline.ts';
import { useKeys } from './use-keys.ts';
import { viewNames, type ViewName } from './view-names.ts';
import type { ViewedSession, SessionViewProps } from './view-props.ts';
import { LoadingState } from './widgets/state-messages.tsx';

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
  readonly track: ReplayedTimeline;
  readonly version: number;
  readonly live: LiveOutput | null;
  readonly view: ViewName;
  /** The event in the address; null to follow the latest one. */
  readonly wanted: number | null;
  readonly connection: ConnectionStatus | null;
  /** Expected number of events while the existing ones load; null afterwards. */
  readonly filling: number | null;
  readonly send: ((command: CommandRequest) => Promise<void>) | null;
};

/** The frame of all session views: the header, the tabs and the control bar. */
export function SessionShell(props: SessionShellProps) {
  const { detail, track, version, live, view, wanted, connection, filling, send } = props;
  // The address may name an event that is not loaded yet.
  const isFollowing = wanted === null || (wanted >= track.head && filling === null);
  const at = isFollowing ? track.head : Math.max(track.created.seq, Math.min(wanted, track.head));
  const go = useSessionNavigation(detail, view, wanted);
  const given: SessionViewProps = {
    track,
    version,
    at,
    isFollowing,
    detail,
    live: isFollowing ? live : null,
    api: apiClient,
    go,
    send,
  };
  useViewKeys(go);
  const View = viewComponents[view];
  return (
    <div className="session">
      <SessionHeader {...given} connection={connection}>
        <GovernorStrip {...given} />
      </SessionHeader>
      <ViewTabs view={view} go={go} />
      {filling !== null && <LoadProgress read={track.length} of={filling} />}
      <div className="view" role="tabpanel" id="view" aria-labelledby={`tab-${view}`}>
        <ErrorBoundary key={view}>
          <Suspense fallback={<LoadingState what={view} />}>
            <View {...given} />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ControlBar {...given} />
    </div>
  );
}

function useSessionNavigation(
  detail: ViewedSession,
  view: ViewName,
  wanted: number | null,
): SessionViewProps['go'] {
  const { kind, id } = detail;
  return useCallback(
    (to) => {
      const page = kind === 'imported' ? 'imported' : 'session';
      const seq = to.seq === undefined ? wanted : to.seq === 'now' ? null : to.seq;
      const address = formatSessionAddress({ page, id }, to.view ?? view, seq);
      // Opening another view adds a history entry; selecting another event does not.
      if (to.view === undefined || to.view === view) replaceAddress(address);
      else openAddress(address);
    },
    [kind, id, view, wanted],
  );
}

function useViewKeys(go: SessionViewProps['go']): void {
  useKeys(
    'Views on a session',
    viewNames.map((name) => ({
      keys: viewKeys[name],
      does: name.slice(0, 1).toUpperCase() + name.slice(1),
      run: () => go({ view: name }),
    })),
  );
}

function ViewTabs({ view, go }: { readonly view: ViewName; readonly go: SessionViewProps['go'] }): ReactNode {
  const move = (by: number): void => {
    const next = viewNames[(viewNames.indexOf(view) + by + viewNames.length) % viewNames.length];
    if (next === undefined) return;
    go({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Views on this session">
      {viewNames.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === view}
          aria-controls="view"
          tabIndex={name === view ? 0 : -1}
          onClick={() => go({ view: name })}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') move(1);
            else if (event.key === 'ArrowLeft') move(-1);
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function LoadProgress({ read, of }: { readonly read: number; readonly of: number }) {
  return (
    <div className="filling" role="status">
      <progress max={Math.max(1, of)} value={read} aria-label="Events read" />
      <span>
        {read.toLocaleString('en')} of {of.toLocaleString('en')} events replayed
      </span>
    </div>
  );
}
