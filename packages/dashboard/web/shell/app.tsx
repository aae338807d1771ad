import { lazy, Suspense, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { ApprovalsPage } from '../views/approvals/approvals.tsx';
import { RunsPage } from '../views/runs/runs.tsx';
import { apiClient } from '../app/api.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import type { ConnectionStatus } from '../app/stream-subscription.ts';
import { PageHeader } from './page-header.tsx';
import { storeImportedRuns } from '../app/imported-runs.ts';
import { ImportedPage, SessionPage } from './session-page.tsx';
import type { PageRoute } from '../app/page-route.ts';
import { openAddress, useRoute } from '../app/router.ts';
import { SessionListFeed, type SessionListState } from '../app/session-list-feed.ts';
import { ToastList } from '../app/widgets/toasts.tsx';
import { useKeys, listActiveBindings } from '../app/use-keys.ts';
import { EmptyState, LoadingState } from '../app/widgets/state-messages.tsx';
import { ModalDialog } from '../app/widgets/modal-dialog.tsx';

/** Rarely used pages are loaded on demand. */
const LazyComparePage = lazy(async () => ({
  default: (await import('../views/compare/compare.tsx')).ComparePage,
}));
const LazyFleetPage = lazy(async () => ({ default: (await import('../views/fleet/fleet.tsx')).FleetPage }));
const LazyImportPage = lazy(async () => ({
  default: (await import('../views/import/import.tsx')).ImportPage,
}));

const sessionListFeed = new SessionListFeed(apiClient);

export function DashboardApp() {
  const route = useRoute();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const list = useSyncExternalStore(sessionListFeed.subscribe, sessionListFeed.state);
  useEffect(() => sessionListFeed.start(), []);
  useGlobalKeys(() => setHelpOpen(true));
  const asks = list.rows.reduce((sum, row) => sum + row.asks, 0);
  return (
    <>
      <a className="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <PageHeader
        page={route.page}
        asks={asks}
        connection={list.connection}
        openHelp={() => setHelpOpen(true)}
      />
      <SignedOutBanner connection={list.connection} />
      <main id="main" tabIndex={-1} className={`page-${route.page}`}>
        <ErrorBoundary key={getRouteKey(route)}>
          <Suspense fallback={<LoadingState what={route.page} />}>{renderRoutePage(route, list)}</Suspense>
        </ErrorBoundary>
      </main>
      <ToastList />
      {isHelpOpen && <HelpDialog close={() => setHelpOpen(false)} />}
    </>
  );
}

function renderRoutePage(route: PageRoute, list: SessionListState): ReactNode {
  switch (route.page) {
    case 'runs':
      return <RunsPage list={list} feed={sessionListFeed} query={route.query} api={apiClient} />;
    case 'approvals':
      return <ApprovalsPage api={apiClient} rows={list.rows} />;
    case 'compare':
      return (
        <LazyComparePage
          api={apiClient}
          query={route.query}
          open={openAddress}
          storeImported={storeImportedRuns}
        />
      );
    case 'fleet':
      return (
        <LazyFleetPage
          api={apiClient}
          query={route.query}
          open={openAddress}
          storeImported={storeImportedRuns}
        />
      );
    case 'import':
      return (
        <LazyImportPage
          api={apiClient}
          query={route.query}
          open={openAddress}
          storeImported={storeImportedRuns}
        />
      );
    case 'session':
      return <SessionPage key={route.id} id={route.id} view={route.view} at={route.at} />;
    case 'imported':
      return <ImportedPage key={route.id} id={route.id} view={route.view} at={route.at} />;
    case 'unknown':
      return (
        <EmptyState title="Page not found">
          <p>
            <code>{route.path}</code> does not exist. <a href="#/">Go to the list of runs</a>
          </p>
        </EmptyState>
      );
    default:
      return route satisfies never;
  }
}

/** The error boundary resets when this key changes. */
function getRouteKey(route: PageRoute): string {
  return route.page === 'session' || route.page === 'imported' ? `${route.page} ${route.id}` : route.page;
}

function SignedOutBanner({ connection }: { readonly connection: ConnectionStatus }) {
  if (connection !== 'signed-out') return null;
  return (
    <div className="banner bad" role="alert">
      This page is not signed in because the server was restarted. Open the link that{' '}
      <code>pawl dashboard</code> printed.
    </div>
  );
}

function useGlobalKeys(openHelp: () => void): void {
  useKeys('Global', [
    { keys: '?', description: 'Keyboard shortcuts', run: openHelp },
    { keys: 'g r', description: 'Runs', run: () => openAddress('#/') },
    { keys: 'g a', description: 'Approvals', run: () => openAddress('#/approvals') },
    { keys: 'g d', description: 'Compare two runs', run: () => openAddress('#/compare') },
    { keys: 'g f', description: 'Fleet', run: () => openAddress('#/fleet') },
    { keys: 'g i', description: 'Import', run: () => openAddress('#/import') },
    {
      keys: '/',
      description: 'Search',
      run: () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
    },
  ]);
}

function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Lists the keyboard shortcuts that are active on this page. */
function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <ModalDialog title="Keyboard shortcuts" close={close}>
      <div className="help">
        {listActiveBindings()
          .filter(({ bindings }) => bindings.length > 0)
          .map(({ title, bindings }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {bindings.map(({ keys, description }) => (
                  <div key={keys}>
                    <dt>
                      {keys.split(' ').map((key, index) => (
                        <kbd key={index}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{description}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </ModalDialog>
  );
}
