import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { Api } from '../../app/api.ts';
import type { SessionRow } from '../../app/api-types.ts';
import { counted } from '../../app/format.ts';
import { sessionAddress } from '../../app/route.ts';
import { moveTo, open } from '../../app/router.ts';
import type { RowsFeed, RowsState } from '../../app/rows-feed.ts';
import { toastError } from '../../app/toasts.tsx';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import { useTitle } from '../../app/use-title.ts';
import { Empty, Loading, Trouble } from '../../app/widgets/notes.tsx';
import { NewSession } from './new-session.tsx';
import { RunRow, RunsHead } from './run-row.tsx';
import {
  countGroups,
  filterAddress,
  matches,
  readFilter,
  runsGroups,
  type RunsFilter,
} from './runs-model.ts';
import { SavedViews } from './saved-views.tsx';
import './runs.css';

type RunsPageProps = {
  readonly rows: RowsState;
  readonly feed: RowsFeed;
  readonly query: URLSearchParams;
  readonly api: Api;
};

/** Every session, live: what it is about, where it stands, and what it took. */
export function RunsPage({ rows, feed, query, api }: RunsPageProps) {
  const filter = useMemo(() => readFilter(query), [query]);
  const wanted = useDeferredValue(filter);
  const shown = useMemo(() => rows.rows.filter((row) => matches(row, wanted)), [rows.rows, wanted]);
  const [isNew, setNew] = useState(false);
  useSearch(feed, filter.q);
  useKeys('Runs', [{ keys: 'n', does: 'New session', run: () => setNew(true) }]);
  useTitle('Runs');
  return (
    <section className="runs">
      <header className="page-header">
        <h1>Runs</h1>
        <span className="faint" role="status">
          {shown.length === rows.rows.length
            ? counted(shown.length, 'run')
            : `${shown.length} of ${counted(rows.rows.length, 'run')}`}
        </span>
        <button type="button" className="primary end" onClick={() => setNew(true)}>
          New session
        </button>
      </header>
      <Filters filter={filter} rows={rows.rows} />
      {rows.error !== null && rows.connection !== 'signed-out' && <Trouble error={rows.error} />}
      <RunsBody rows={rows} shown={shown} begin={() => setNew(true)} />
      {rows.next !== null && (
        <button type="button" className="more" onClick={() => void feed.loadMore().catch(toastError)}>
          Load older runs
        </button>
      )}
      {isNew && <NewSession api={api} close={() => setNew(false)} />}
    </section>
  );
}

type RunsBodyProps = {
  readonly rows: RowsState;
  readonly shown: readonly SessionRow[];
  readonly begin: () => void;
};

function RunsBody({ rows, shown, begin }: RunsBodyProps) {
  if (rows.isLoading) return <Loading what="the runs" />;
  if (shown.length > 0) return <RunsTable shown={shown} />;
  if (rows.rows.length === 0) return rows.error === null ? <NoRuns begin={begin} /> : null;
  return (
    <Empty title="No run is like that">
      <button type="button" onClick={() => moveTo('#/')}>
        Show all of them
      </button>
    </Empty>
  );
}

function RunsTable({ shown }: { readonly shown: readonly SessionRow[] }) {
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
    if (row !== undefined) open(sessionAddress(row));
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
      <RunsHead />
      <div className="virtual" role="rowgroup" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start, key }) => {
          const row = shown[index];
          return row === undefined ? null : (
            <RunRow
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

function Filters({ filter, rows }: { readonly filter: RunsFilter; readonly rows: readonly SessionRow[] }) {
  const counts = useMemo(() => countGroups(rows), [rows]);
  return (
    <div className="bar">
      <input
        type="search"
        data-search
        aria-label="Words that a run must have"
        placeholder="Search goals, ids, models, folders (/)"
        value={filter.q}
        onChange={(event) => moveTo(filterAddress({ ...filter, q: event.target.value }))}
      />
      <div className="either" role="group" aria-label="Which runs">
        {runsGroups.map((show) => (
          <button
            key={show}
            type="button"
            aria-pressed={show === filter.show}
            className={show === filter.show ? 'chosen' : ''}
            onClick={() => open(filterAddress({ ...filter, show }))}
          >
            {show} <span className="either-count">{counts[show]}</span>
          </button>
        ))}
      </div>
      <SavedViews filter={filter} />
    </div>
  );
}

/** What is not among the rows here is looked for at the server, once nobody types any more. */
function useSearch(feed: RowsFeed, q: string): void {
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      feed.search(q, leaving.signal).catch((error: unknown) => {
        if (!leaving.signal.aborted) toastError(error);
      });
    }, 250);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [feed, q]);
}

function NoRuns({ begin }: { readonly begin: () => void }) {
  return (
    <Empty title="There is no run yet">
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
    </Empty>
  );
}
