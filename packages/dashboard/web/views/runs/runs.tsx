import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiClient } from '../../app/api.ts';
import type { SessionListItem } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { replaceAddress, openAddress } from '../../app/router.ts';
import type { SessionListFeed, SessionListState } from '../../app/session-list-feed.ts';
import { showErrorToast } from '../../app/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/use-title.ts';
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
  readonly rows: SessionListState;
  readonly feed: SessionListFeed;
  readonly query: URLSearchParams;
  readonly api: ApiClient;
};

/** Live list of all sessions, with their goal, status and usage. */
export function RunsPage({ rows, feed, query, api }: RunsPageProps) {
  const filter = useMemo(() => parseRunsFilter(query), [query]);
  const wanted = useDeferredValue(filter);
  const shown = useMemo(() => rows.rows.filter((row) => matchesRunsFilter(row, wanted)), [rows.rows, wanted]);
  const [isNew, setNew] = useState(false);
  useServerSearch(feed, filter.q);
  useKeys('Runs', [{ keys: 'n', does: 'New session', run: () => setNew(true) }]);
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
        <button type="button" className="primary end" onClick={() => setNew(true)}>
          New session
        </button>
      </header>
      <RunsFilterBar filter={filter} rows={rows.rows} />
      {rows.error !== null && rows.connection !== 'signed-out' && <ErrorMessage error={rows.error} />}
      <RunsBody rows={rows} shown={shown} begin={() => setNew(true)} />
      {rows.next !== null && (
        <button type="button" className="more" onClick={() => void feed.loadMore().catch(showErrorToast)}>
          Load older runs
        </button>
      )}
      {isNew && <NewSessionDialog api={api} close={() => setNew(false)} />}
    </section>
  );
}

type RunsBodyProps = {
  readonly rows: SessionListState;
  readonly shown: readonly SessionListItem[];
  readonly begin: () => void;
};

function RunsBody({ rows, shown, begin }: RunsBodyProps) {
  if (rows.isLoading) return <LoadingState what="the runs" />;
  if (shown.length > 0) return <RunsTable shown={shown} />;
  if (rows.rows.length === 0) return rows.error === null ? <EmptyRuns begin={begin} /> : null;
  return (
    <EmptyState title="No run is like that">
      <button type="button" onClick={() => replaceAddress('#/')}>
        Show all of them
      </button>
    </EmptyState>
  );
}

function RunsTable({ shown }: { readonly shown: readonly SessionListItem[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(-1);
  const now = useNow(1_000);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 52,
    overscan: 10,
    getItemKey: (index) => shown[index]?.id ?? index,
  });
  const move = (by: number): void => {
    const next = Math.max(0, Math.min(shown.length - 1, chosen + by));
    setChosen(next);
    list.scrollToIndex(next, { align: 'auto' });
  };
  const openChosen = (): void => {
    const row = shown[chosen];
    if (row !== undefined) openAddress(formatSessionAddress(row));
  };
  useKeys('List of runs', [
    { keys: 'j', does: 'Next run', run: () => move(1) },
    { keys: 'k', does: 'Run before it', run: () => move(-1) },
    { keys: 'o', does: 'Open the run', run: openChosen },
    { keys: 'Enter', does: 'Open the run', run: openChosen },
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
              place={index + 2}
              start={start}
              now={now}
              isChosen={index === chosen}
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
        aria-label="Words that a run must have"
        placeholder="Search goals, ids, models, folders (/)"
        value={filter.q}
        onChange={(event) => replaceAddress(formatFilterAddress({ ...filter, q: event.target.value }))}
      />
      <div className="either" role="group" aria-label="Which runs">
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
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      feed.search(q, leaving.signal).catch((error: unknown) => {
        if (!leaving.signal.aborted) showErrorToast(error);
      });
    }, 250);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [feed, q]);
}

function EmptyRuns({ begin }: { readonly begin: () => void }) {
  return (
    <EmptyState title="There is no run yet">
      <p>
        Begin one here, or in a terminal with <code>pawl run "what you want done"</code>. It shows up by
        itself.
      </p>
      <p>
        <button type="button" className="primary" onClick={begin}>
          New session
        </button>
      </p>
      <p>
        Have a recorded run of another agent? <a href="#/import">Import it</a>.
      </p>
    </EmptyState>
  );
}
