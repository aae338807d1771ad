import { findImportedRun, useImportedTimeline } from './imported-runs.ts';
import type { ImportedRun } from './api-types.ts';
import { SessionShell } from './session-shell.tsx';
import type { ViewName } from './view-names.ts';
import { EmptyState } from './widgets/state-messages.tsx';

type ImportedPageProps = { readonly id: string; readonly view: ViewName; readonly at: number | null };

/** Shows a run imported from a file in the same views as a stored session. */
export function ImportedPage({ id, view, at }: ImportedPageProps) {
  const run = findImportedRun(id);
  if (run === null) {
    return (
      <EmptyState title="This run is no longer here">
        <p>
          What is read from a file is kept by the page alone, and only until it is left.{' '}
          <a href="#/import">Read the file again</a>.
        </p>
      </EmptyState>
    );
  }
  return <ImportedRunShell run={run} id={id} view={view} at={at} />;
}

function ImportedRunShell({ run, id, view, at }: ImportedPageProps & { readonly run: ImportedRun }) {
  const { track, version } = useImportedTimeline(run);
  return (
    <SessionShell
      detail={{ kind: 'imported', id, ...run }}
      track={track}
      version={version}
      live={null}
      view={view}
      wanted={at}
      connection={null}
      filling={track.length < run.events.length ? run.events.length : null}
      send={null}
    />
  );
}
