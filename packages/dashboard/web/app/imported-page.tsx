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
