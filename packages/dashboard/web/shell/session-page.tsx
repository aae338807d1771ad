import { useEffect, useState, useSyncExternalStore } from 'react';
import { apiClient } from '../app/api.ts';
import type { CommandRequest, ImportedRun } from '../app/api-types.ts';
import { SessionFeed } from '../app/session-feed.ts';
import { SessionShell } from './session-shell.tsx';
import type { ViewName } from '../app/page-route.ts';
import { LoadingState, ErrorMessage, EmptyState } from '../app/widgets/state-messages.tsx';
import { findImportedRun, useImportedTimeline } from '../app/imported-runs.ts';

type SessionPageProps = { readonly id: string; readonly view: ViewName; readonly at: number | null };

/** Shows a stored session and follows it while the page is open. */
export function SessionPage({ id, view, at }: SessionPageProps) {
  const [attempt, setAttempt] = useState(0);
  return <LiveSession key={attempt} id={id} view={view} at={at} retry={() => setAttempt(attempt + 1)} />;
}

function LiveSession({ id, view, at, retry: again }: SessionPageProps & { readonly retry: () => void }) {
  const [feed] = useState(() => new SessionFeed(id, apiClient));
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const state = useSyncExternalStore(feed.subscribe, feed.state);
  if (state.phase === 'loading') return <LoadingState what="the session" />;
  if (state.phase === 'failed') return <ErrorMessage error={state.error} retry={again} />;
  const { detail, timeline, version, live, connection, isLoadingEvents, head } = state;
  const send = async (command: CommandRequest): Promise<void> => {
    await apiClient.command(id, command);
    feed.refresh().catch(() => {});
  };
  return (
    <SessionShell
      detail={{ kind: 'stored', ...detail }}
      timeline={timeline}
      version={version}
      live={live}
      view={view}
      requestedSeq={at}
      connection={connection}
      expectedEvents={isLoadingEvents ? head : null}
      send={detail.controllable ? send : null}
    />
  );
}

type ImportedPageProps = { readonly id: string; readonly view: ViewName; readonly at: number | null };

/** Shows a run imported from a file in the same views as a stored session. */
export function ImportedPage({ id, view, at }: ImportedPageProps) {
  const run = findImportedRun(id);
  if (run === null) {
    return (
      <EmptyState title="This run is no longer available">
        <p>
          Imported runs are lost when the page is closed. <a href="#/import">Import the file again</a>.
        </p>
      </EmptyState>
    );
  }
  return <ImportedRunShell run={run} id={id} view={view} at={at} />;
}

function ImportedRunShell({ run, id, view, at }: ImportedPageProps & { readonly run: ImportedRun }) {
  const { timeline, version } = useImportedTimeline(run);
  return (
    <SessionShell
      detail={{ kind: 'imported', id, ...run }}
      timeline={timeline}
      version={version}
      live={null}
      view={view}
      requestedSeq={at}
      connection={null}
      expectedEvents={timeline.length < run.events.length ? run.events.length : null}
      send={null}
    />
  );
}
