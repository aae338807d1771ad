import { useEffect, useState, useSyncExternalStore } from 'react';
import { apiClient } from './api.ts';
import type { CommandRequest } from './api-types.ts';
import { SessionFeed } from './session-feed.ts';
import { SessionShell } from './session-shell.tsx';
import type { ViewName } from './view-names.ts';
import { LoadingState, ErrorMessage } from './widgets/state-messages.tsx';

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
