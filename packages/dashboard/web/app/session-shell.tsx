import { lazy, Suspense, useCallback, type ComponentType, type ReactNode } from 'react';
import { EventsView } from '../views/events/events.tsx';
import { GovernorStrip, GovernorView } from '../views/governor/governor.tsx';
import { TranscriptView } from '../views/transcript/transcript.tsx';
import { api } from './api.ts';
import type { Command } from './api-types.ts';
import { ControlBar } from './control-bar.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import type { Connection } from './follow.ts';
import type { LiveShow } from './live-show.ts';
import { sessionAddress } from './route.ts';
import { moveTo, open } from './router.ts';
import { SessionHeader } from './session-header.tsx';
import type { Track } from './track.ts';
import { useKeys } from './use-keys.ts';
import { viewNames, type ViewName } from './view-names.ts';
import type { Detail, SessionViewProps } from './view-props.ts';
import { Loading } from './widgets/notes.tsx';

/** Views that draw more than text are loaded when they are looked at. */
const ChartView = lazy(async () => ({ default: (await import('../views/chart/chart.tsx')).ChartView }));
const TimelineView = lazy(async () => ({
  default: (await import('../views/timeline/timeline.tsx')).TimelineView,
}));
const WhyView = lazy(async () => ({ default: (await import('../views/why/why.tsx')).WhyView }));
const MemoryView = lazy(async () => ({ default: (await import('../views/memory/memory.tsx')).MemoryView }));

const views: Readonly<Record<ViewName, ComponentType<SessionViewProps>>> = {
  transcript: TranscriptView,
  events: EventsView,
  chart: ChartView,
  timeline: TimelineView,
  why: WhyView,
  governor: GovernorView,
  memory: MemoryView,
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
  readonly detail: Detail;
  readonly track: Track;
  readonly version: number;
  readonly live: LiveShow | null;
  readonly view: ViewName;
  /** The event that the address names; null to follow. */
  readonly wanted: number | null;
  readonly connection: Connection | null;
  /** How many events there will be, while those of the past are being read. */
  readonly filling: number | null;
  readonly send: ((command: Command) => Promise<void>) | null;
};

/** What all views on a session have around them: its header, the tabs, and the bar to go through time and to step in. */
export function SessionShell(props: SessionShellProps) {
  const { detail, track, version, live, view, wanted, connection, filling, send } = props;
  // An address may name an event that is yet to be read.
  const isFollowing = wanted === null || (wanted >= track.head && filling === null);
  const at = isFollowing ? track.head : Math.max(track.created.seq, Math.min(wanted, track.head));
  const go = useGo(detail, view, wanted);
  const given: SessionViewProps = {
    track,
    version,
    at,
    isFollowing,
    detail,
    live: isFollowing ? live : null,
    api,
    go,
    send,
  };
  useViewKeys(go);
  const View = views[view];
  return (
    <div className="session">
      <SessionHeader {...given} connection={connection}>
        <GovernorStrip {...given} />
      </SessionHeader>
      <Tabs view={view} go={go} />
      {filling !== null && <Filling read={track.length} of={filling} />}
      <div className="view" role="tabpanel" id="view" aria-labelledby={`tab-${view}`}>
        <ErrorBoundary key={view}>
          <Suspense fallback={<Loading what={view} />}>
            <View {...given} />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ControlBar {...given} />
    </div>
  );
}

function useGo(detail: Detail, view: ViewName, wanted: number | null): SessionViewProps['go'] {
  const { kind, id } = detail;
  return useCallback(
    (to) => {
      const page = kind === 'imported' ? 'imported' : 'session';
      const seq = to.seq === undefined ? wanted : to.seq === 'now' ? null : to.seq;
      const address = sessionAddress({ page, id }, to.view ?? view, seq);
      // Another view is a step that "back" undoes; another moment is not.
      if (to.view === undefined || to.view === view) moveTo(address);
      else open(address);
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

function Tabs({ view, go }: { readonly view: ViewName; readonly go: SessionViewProps['go'] }): ReactNode {
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

function Filling({ read, of }: { readonly read: number; readonly of: number }) {
  return (
    <div className="filling" role="status">
      <progress max={Math.max(1, of)} value={read} aria-label="Events read" />
      <span>
        {read.toLocaleString('en')} of {of.toLocaleString('en')} events replayed
      </span>
    </div>
  );
}
