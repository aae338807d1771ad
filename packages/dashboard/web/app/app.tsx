import { lazy, Suspense, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { ApprovalsPage } from '../views/approvals/approvals.tsx';
import { RunsPage } from '../views/runs/runs.tsx';
import { api } from './api.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import type { Connection } from './follow.ts';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { keepImported } from './imported-runs.ts';
import { ImportedPage } from './imported-page.tsx';
import type { Route } from './route.ts';
import { open, useRoute } from './router.ts';
import { RowsFeed, type RowsState } from './rows-feed.ts';
import { SessionPage } from './session-page.tsx';
import { Toasts } from './toasts.tsx';
import { useKeys } from './use-keys.ts';
import { Empty, Loading } from './widgets/notes.tsx';

/** Pages that few people open are loaded when they are opened. */
const ComparePage = lazy(async () => ({
  default: (await import('../views/compare/compare.tsx')).ComparePage,
}));
const FleetPage = lazy(async () => ({ default: (await import('../views/fleet/fleet.tsx')).FleetPage }));
const ImportPage = lazy(async () => ({ default: (await import('../views/import/import.tsx')).ImportPage }));

const rowsFeed = new RowsFeed(api);

export function App() {
  const route = useRoute();
  const [isHelping, setHelping] = useState(false);
  const rows = useSyncExternalStore(rowsFeed.subscribe, rowsFeed.state);
  useEffect(() => rowsFeed.start(), []);
  useGlobalKeys(() => setHelping(true));
  const asks = rows.rows.reduce((sum, row) => sum + row.asks, 0);
  return (
    <>
      <a className="skip" href="#main" onClick={skipToMain}>
        To the content
      </a>
      <Header page={route.page} asks={asks} connection={rows.connection} help={() => setHelping(true)} />
      <SignedOut connection={rows.connection} />
      <main id="main" tabIndex={-1} className={`page-${route.page}`}>
        <ErrorBoundary key={placeOf(route)}>
          <Suspense fallback={<Loading what={route.page} />}>{pageOf(route, rows)}</Suspense>
        </ErrorBoundary>
      </main>
      <Toasts />
      {isHelping && <Help close={() => setHelping(false)} />}
    </>
  );
}

function pageOf(route: Route, rows: RowsState): ReactNode {
  switch (route.page) {
    case 'runs':
      return <RunsPage rows={rows} feed={rowsFeed} query={route.query} api={api} />;
    case 'approvals':
      return <ApprovalsPage api={api} rows={rows.rows} />;
    case 'compare':
      return <ComparePage api={api} query={route.query} open={open} keepImported={keepImported} />;
    case 'fleet':
      return <FleetPage api={api} query={route.query} open={open} keepImported={keepImported} />;
    case 'import':
      return <ImportPage api={api} query={route.query} open={open} keepImported={keepImported} />;
    case 'session':
      return <SessionPage key={route.id} id={route.id} view={route.view} at={route.at} />;
    case 'imported':
      return <ImportedPage key={route.id} id={route.id} view={route.view} at={route.at} />;
    case 'unknown':
      return (
        <Empty title="There is no such page">
          <p>
            <code>{route.path}</code> leads nowhere. <a href="#/">To the list of runs</a>
          </p>
        </Empty>
      );
    default:
      return route satisfies never;
  }
}

/** An error is forgotten when this changes. */
function placeOf(route: Route): string {
  return route.page === 'session' || route.page === 'imported' ? `${route.page} ${route.id}` : route.page;
}

function SignedOut({ connection }: { readonly connection: Connection }) {
  if (connection !== 'signed-out') return null;
  return (
    <div className="banner bad" role="alert">
      This page is not signed in: the server that let it in has ended. Open the link that{' '}
      <code>pawl dashboard</code> printed.
    </div>
  );
}

function useGlobalKeys(help: () => void): void {
  useKeys('Everywhere', [
    { keys: '?', does: 'These keys', run: help },
    { keys: 'g r', does: 'Runs', run: () => open('#/') },
    { keys: 'g a', does: 'Approvals', run: () => open('#/approvals') },
    { keys: 'g d', does: 'Compare two runs', run: () => open('#/compare') },
    { keys: 'g f', does: 'Fleet', run: () => open('#/fleet') },
    { keys: 'g i', does: 'Import', run: () => open('#/import') },
    { keys: '/', does: 'Search', run: () => document.querySelector<HTMLElement>('[data-search]')?.focus() },
  ]);
}

function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
