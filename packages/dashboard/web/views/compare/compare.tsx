import { useEffect, useMemo, useState } from 'react';
import type { SessionListItem } from '../../app/api-types.ts';
import { useTitle } from '../../app/router.ts';
import type { PageProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { EmptyState, LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import { AlignedEvents } from './aligned-events.tsx';
import {
  findRunDivergence,
  describeDivergence,
  buildComparisonRows,
  type ComparisonRow,
} from './compare-model.ts';
import { loadRun, type LoadedRun } from './load-run.ts';
import { StateComparison } from './state-comparison.tsx';
import './compare.css';

/** Compares two runs side by side: their results, the divergence, and the state of each at that point. */
export function ComparePage({ api, query, open }: PageProps) {
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  const at = query.get('at');
  useTitle('Compare');
  const selectRun = (side: 'a' | 'b', id: string): void => {
    const next = new URLSearchParams({ a, b });
    next.set(side, id);
    open(`#/compare?${next.toString()}`);
  };
  return (
    <div className="wide-page compare-page">
      <h1>Compare two runs</h1>
      <div className="compare-choose">
        <RunChooser api={api} label="First run" side="a" selected={a} onSelect={selectRun} />
        <button
          type="button"
          className="small"
          disabled={a === '' && b === ''}
          onClick={() => open(`#/compare?${new URLSearchParams({ a: b, b: a }).toString()}`)}
        >
          Swap
        </button>
        <RunChooser api={api} label="Second run" side="b" selected={b} onSelect={selectRun} />
      </div>
      {a === '' || b === '' ? (
        <EmptyState title="Choose two runs">
          <p>
            For example a run and its fork, or the same goal with two models. The events of both are shown
            side by side, from the first event on.
          </p>
        </EmptyState>
      ) : (
        <ComparisonLoader
          key={`${a} ${b}`}
          api={api}
          a={a}
          b={b}
          at={at === null ? null : Number(at)}
          goTo={(index) =>
            open(`#/compare?${new URLSearchParams({ a, b, at: String(index + 1) }).toString()}`)
          }
        />
      )}
    </div>
  );
}

type RunChooserProps = Pick<PageProps, 'api'> & {
  readonly label: string;
  readonly side: 'a' | 'b';
  readonly selected: string;
  readonly onSelect: (side: 'a' | 'b', id: string) => void;
};

function RunChooser({ api, label, side, selected, onSelect }: RunChooserProps) {
  const [rows, setRows] = useState<readonly SessionListItem[]>([]);
  useEffect(() => {
    const aborting = new AbortController();
    api.sessions({ limit: 200 }, aborting.signal).then(
      ({ sessions }) => setRows(sessions),
      () => undefined,
    );
    return () => aborting.abort();
  }, [api]);
  const isKnown = rows.some(({ id }) => id === selected);
  return (
    <label className="compare-side">
      <span>{label}</span>
      <select value={selected} onChange={(event) => onSelect(side, event.target.value)}>
        <option value="">choose…</option>
        {selected !== '' && !isKnown && <option value={selected}>{selected}</option>}
        {rows.map(({ id, short, goal, status }) => (
          <option key={id} value={id}>
            {short} · {toSafeLine(goal ?? 'No message yet', 70)} · {status}
          </option>
        ))}
      </select>
    </label>
  );
}

type ComparisonLoaderProps = Pick<PageProps, 'api'> & {
  readonly a: string;
  readonly b: string;
  /** The selected pair of events, counted from 1. */
  readonly at: number | null;
  readonly goTo: (index: number) => void;
};

function ComparisonLoader({ api, a, b, at, goTo }: ComparisonLoaderProps) {
  const [runs, setRuns] = useState<readonly [LoadedRun, LoadedRun] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [loaded, setLoaded] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    const options = {
      signal: aborting.signal,
      onProgress: (count: number) => setLoaded((before) => Math.max(before, count)),
    };
    Promise.all([loadRun(api, a, options), loadRun(api, b, options)]).then(
      (both) => !aborting.signal.aborted && setRuns(both),
      (reason: unknown) => !aborting.signal.aborted && setError(reason),
    );
    return () => aborting.abort();
  }, [api, a, b]);
  if (error !== null) return <ErrorMessage error={error} />;
  if (runs === null)
    return <LoadingState what={loaded === 0 ? 'both runs' : `both runs, ${loaded} events so far`} />;
  return <RunComparison runs={runs} at={at} goTo={goTo} />;
}

function RunComparison({
  runs: [a, b],
  at,
  goTo,
}: { readonly runs: readonly [LoadedRun, LoadedRun] } & Pick<ComparisonLoaderProps, 'at' | 'goTo'>) {
  const divergence = useMemo(() => findRunDivergence(a.timeline, b.timeline), [a, b]);
  const rows = useMemo(() => buildComparisonRows(a, b), [a, b]);
  const last = Math.max(a.timeline.length, b.timeline.length) - 1;
  const requested = at === null || !Number.isSafeInteger(at) ? divergence.common : at - 1;
  const index = Math.min(Math.max(requested, 0), Math.max(last, 0));
  return (
    <>
      <p className="compare-parting" role="status">
        {describeDivergence(divergence)}
      </p>
      <ComparisonSummary rows={rows} a={a} b={b} />
      <div className="compare-events">
        <div className="compare-events-head">
          <h2>Events</h2>
          <button
            type="button"
            className="small"
            onClick={() => goTo(Math.min(divergence.common, Math.max(last, 0)))}
          >
            Go to divergence
          </button>
        </div>
        <AlignedEvents a={a.timeline} b={b.timeline} divergence={divergence} index={index} goTo={goTo} />
      </div>
      <StateComparison a={a} b={b} index={index} />
    </>
  );
}

function ComparisonSummary({
  rows,
  a,
  b,
}: {
  readonly rows: readonly ComparisonRow[];
  readonly a: LoadedRun;
  readonly b: LoadedRun;
}) {
  return (
    <div className="compare-summary framed">
      <table className="listing">
        <caption className="visually-hidden">Summary of both runs</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">
              <a href={a.getAddress(a.timeline.head)}>{toSafeLine(a.name, 70)}</a>
            </th>
            <th scope="col">
              <a href={b.getAddress(b.timeline.head)}>{toSafeLine(b.name, 70)}</a>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, a: one, b: other, isSame }) => (
            <tr key={label} className={isSame ? '' : 'differs'}>
              <th scope="row">
                {!isSame && <span aria-label="differs">≠ </span>}
                {label}
              </th>
              <td>{toSafeLine(one, 400)}</td>
              <td>{toSafeLine(other, 400)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
