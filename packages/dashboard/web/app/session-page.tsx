import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from './api.ts';
import type { Command } from './api-types.ts';
import { SessionFeed } from './session-feed.ts';
import { SessionShell } from './session-shell.tsx';
import type { ViewName } from './view-names.ts';
import { Loading, Trouble } from './widgets/notes.tsx';

type SessionPageProps = { readonly id: string; readonly view: ViewName; readonly at: number | null };

/** A session of the store, followed for as long as it is looked at. */
export function SessionPage({ id, view, at }: SessionPageProps) {
  const [attempt, setAttempt] = useState(0);
  return <FollowedSession key={attempt} id={id} view={view} at={at} again={() => setAttempt(attempt + 1)} />;
}

function FollowedSession({ id, view, at, again }: SessionPageProps & { readonly again: () => void }) {
  const [feed] = useState(() => new SessionFeed(id, api));
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const state = useSyncExternalStore(feed.subscribe, feed.state);
  if (state.phase === 'loading') return <Loading what="the session" />;
  if (state.phase === 'failed') return <Trouble error={state.error} retry={again} />;
  const { detail, track, version, live, connection, isFilling, head } = state;
  const send = async (command: Command): Promise<void> => {
    await api.command(id, command);
    feed.refresh().catch(() => {});
  };
  return (
    <SessionShell
      detail={{ kind: 'kept', ...detail }}
      track={track}
      version={version}
      live={live}
      view={view}
      wanted={at}
      connection={connection}
      filling={isFilling ? head : null}
      send={detail.controllable ? send : null}
    />
  );
}
