import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiClient } from '../../app/api.ts';
import type { SessionListItem } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { replaceAddress, openAddress, useTitle } from '../../app/router.ts';
import type { SessionListFeed, SessionListState } from '../../app/session-list-feed.ts';
import { showErrorToast } from '../../app/widgets/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import { EmptyState, LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { NewSessionDialog } from './new-session-dialog.tsx';
import { RunsTableRow, RunsTableHead } from './runs-table-row.tsx';
import {
  countRunsGroups,
  formatFilterAddress,
  matchesRunsFilter,
  parseRunsFilter,
  runsGroups,
  type RunsFilter,
} from './runs-model.ts';
import { SavedViewList } from './saved-views.tsx';
import './runs.css';

type RunsPageProps = {
  readonly list: SessionListState;
  readonly feed: SessionListFeed;
  readonly query: URLSearchParams;
  readonly api: ApiClient;
};

/** Live list of all sessions, with their goal, status and usage. */
export function RunsPage({ list: rows, feed, query, api }: RunsPageProps) {
  const filter = useMemo(() => parseRunsFilter(query), [query]);
  const deferredFilter = useDeferredValue(filter);
  const shown = useMemo(
    () => rows.rows.filter((row) => matchesRunsFilter(row, deferredFilter)),
    [rows.rows, deferredFilter],
  );
  const [isDialogOpen, setDialogOpen] = useState(false);
  useServerSearch(feed, filter.q);
  useKeys('Runs', [{ keys: 'n', description: 'New session', run: () => setDialogOpen(true) }]);
  useTitle('Runs');
  return (
    <section className="runs">
      <header className="page-header">
        <h1>Runs</h1>
        <span className="faint" role="status">
          {shown.length === rows.rows.length
            ? formatCount(shown.length, 'run')
            : `${shown.length} of ${formatCount(rows.rows.length, 'run')}`}
        </span>
        <button type="button" className="primary end" onClick={() => setDialogOpen(true)}>
          New session
        </button>
      </header>
      <RunsFilterBar filter={filter} rows={rows.rows} />
      {rows.error !== null && rows.connection !== 'signed-out' && <ErrorMessage error={rows.error} />}
      <RunsBody list={rows} shown={shown} openDialog={() => setDialogOpen(true)} />
      {rows.next !== null && (
        <button type="button" className="more" onClick={() => void feed.loadMore().catch(showErrorToast)}>
          Load older runs
        </button>
      )}
      {isDialogOpen && <NewSessionDialog api={api} close={() => setDialogOpen(false)} />}
    </section>
  );
}

type RunsBodyProps = {
  readonly list: SessionListState;
  readonly shown: readonly SessionListItem[];
  readonly openDialog: () => void;
};

function RunsBody({ list, shown, openDialog: begin }: RunsBodyProps) {
  if (list.isLoading) return <LoadingState what="the runs" />;
  if (shown.length > 0) return <RunsTable shown={shown} />;
  if (list.rows.length === 0) return list.error === null ? <EmptyRuns openDialog={begin} /> : null;
  return (
    <EmptyState title="No matching runs">
      <button type="button" onClick={() => replaceAddress('#/')}>
        Show all runs
      </button>
    </EmptyState>
  );
}

function RunsTable({ shown }: { readonly shown: readonly SessionListItem[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState(-1);
  const now = useNow(1_000);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 52,
    overscan: 10,
    getItemKey: (index) => shown[index]?.id ?? index,
  });
  const move = (offset: number): void => {
    const next = Math.max(0, Math.min(shown.length - 1, selected + offset));
    setSelected(next);
    list.scrollToIndex(next, { align: 'auto' });
  };
  const openSelected = (): void => {
    const row = shown[selected];
    if (row !== undefined) openAddress(formatSessionAddress(row));
  };
  useKeys('List of runs', [
    { keys: 'j', description: 'Next run', run: () => move(1) },
    { keys: 'k', description: 'Previous run', run: () => move(-1) },
    { keys: 'o', description: 'Open the run', run: openSelected },
    { keys: 'Enter', description: 'Open the run', run: openSelected },
  ]);
  return (
    <div
      className="runs-table"
      ref={scroller}
      role="table"
      aria-label="Runs"
      aria-rowcount={shown.length + 1}
      tabIndex={0}
    >
      <RunsTableHead />
      <div className="virtual" role="rowgroup" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start, key }) => {
          const row = shown[index];
          return row === undefined ? null : (
            <RunsTableRow
              key={key}
              row={row}
              rowIndex={index + 2}
              start={start}
              now={now}
              isSelected={index === selected}
              measure={list.measureElement}
            />
          );
        })}
      </div>
    </div>
  );
}

function RunsFilterBar({
  filter,
  rows,
}: {
  readonly filter: RunsFilter;
  readonly rows: readonly SessionListItem[];
}) {
  const counts = useMemo(() => countRunsGroups(rows), [rows]);
  return (
    <div className="bar">
      <input
        type="search"
        data-search
        aria-label="Search runs"
        placeholder="Search goals, ids, models, folders (/)"
        value={filter.q}
        onChange={(event) => replaceAddress(formatFilterAddress({ ...filter, q: event.target.value }))}
      />
      <div className="either" role="group" aria-label="Run group">
        {runsGroups.map((show) => (
          <button
            key={show}
            type="button"
            aria-pressed={show === filter.show}
            className={show === filter.show ? 'chosen' : ''}
            onClick={() => openAddress(formatFilterAddress({ ...filter, show }))}
          >
            {show} <span className="either-count">{counts[show]}</span>
          </button>
        ))}
      </div>
      <SavedViewList filter={filter} />
    </div>
  );
}

/** Searches on the server for sessions that are not loaded, after the user stops typing. */
function useServerSearch(feed: SessionListFeed, q: string): void {
  useEffect(() => {
    const aborting = new AbortController();
    const timer = setTimeout(() => {
      feed.search(q, aborting.signal).catch((error: unknown) => {
        if (!aborting.signal.aborted) showErrorToast(error);
      });
    }, 250);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [feed, q]);
}

function EmptyRuns({ openDialog }: { readonly openDialog: () => void }) {
  return (
    <EmptyState title="No runs yet">
      <p>
        Start one here, or in a terminal with <code>pawl run "your goal"</code>. It appears here
        automatically.
      </p>
      <p>
        <button type="button" className="primary" onClick={openDialog}>
          New session
        </button>
      </p>
      <p>
        Have a recorded run of another agent? <a href="#/import">Import it</a>.
      </p>
    </EmptyState>
  );
}
