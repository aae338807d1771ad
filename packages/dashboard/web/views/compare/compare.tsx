import { useEffect, useMemo, useState } from 'react';
import type { SessionListItem } from '../../app/api-types.ts';
import { useTitle } from '../../app/use-title.ts';
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
  const choose = (side: 'a' | 'b', id: string): void => {
    const next = new URLSearchParams({ a, b });
    next.set(side, id);
    open(`#/compare?${next.toString()}`);
  };
  return (
    <div className="wide-page compare-page">
      <h1>Compare two runs</h1>
      <div className="compare-choose">
        <RunChooser api={api} label="First run" side="a" chosen={a} choose={choose} />
        <button
          type="button"
          className="small"
          disabled={a === '' && b === ''}
          onClick={() => open(`#/compare?${new URLSearchParams({ a: b, b: a }).toString()}`)}
        >
          Swap
        </button>
        <RunChooser api={api} label="Second run" side="b" chosen={b} choose={choose} />
      </div>
      {a === '' || b === '' ? (
        <EmptyState title="Choose two runs">
          <p>
            A run and its fork, the same goal with two models, or yesterday and today: they are laid side by
            side up to the event where they part.
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
  readonly chosen: string;
  readonly choose: (side: 'a' | 'b', id: string) => void;
};

function RunChooser({ api, label, side, chosen, choose }: RunChooserProps) {
  const [rows, setRows] = useState<readonly SessionListItem[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    api.sessions({ limit: 200 }, stop.signal).then(
      ({ sessions }) => setRows(sessions),
      () => undefined,
    );
    return () => stop.abort();
  }, [api]);
  const isKnown = rows.some(({ id }) => id === chosen);
  return (
    <label className="compare-side">
      <span>{label}</span>
      <select value={chosen} onChange={(event) => choose(side, event.target.value)}>
        <option value="">choose…</option>
        {chosen !== '' && !isKnown && <option value={chosen}>{chosen}</option>}
        {rows.map(({ id, short, goal, status }) => (
          <option key={id} value={id}>
            {short} · {toSafeLine(goal ?? 'nothing said yet', 70)} · {status}
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
  const [read, setRead] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const how = {
      signal: stop.signal,
      tell: (count: number) => setRead((before) => Math.max(before, count)),
    };
    Promise.all([loadRun(api, a, how), loadRun(api, b, how)]).then(
      (both) => !stop.signal.aborted && setRuns(both),
      (reason: unknown) => !stop.signal.aborted && setError(reason),
    );
    return () => stop.abort();
  }, [api, a, b]);
  if (error !== null) return <ErrorMessage error={error} />;
  if (runs === null)
    return <LoadingState what={read === 0 ? 'both runs' : `both runs, ${read} events so far`} />;
  return <RunComparison runs={runs} at={at} goTo={goTo} />;
}

function RunComparison({
  runs: [a, b],
  at,
  goTo,
}: { readonly runs: readonly [LoadedRun, LoadedRun] } & Pick<ComparisonLoaderProps, 'at' | 'goTo'>) {
  const parting = useMemo(() => findRunDivergence(a.track, b.track), [a, b]);
  const rows = useMemo(() => buildComparisonRows(a, b), [a, b]);
  const last = Math.max(a.track.length, b.track.length) - 1;
  const wanted = at === null || !Number.isSafeInteger(at) ? parting.common : at - 1;
  const index = Math.min(Math.max(wanted, 0), Math.max(last, 0));
  return (
    <>
      <p className="compare-parting" role="status">
        {describeDivergence(parting)}
      </p>
      <ComparisonSummary rows={rows} a={a} b={b} />
      <div className="compare-events">
        <div className="compare-events-head">
          <h2>Events</h2>
          <button
            type="button"
            className="small"
            onClick={() => goTo(Math.min(parting.common, Math.max(last, 0)))}
          >
            To where they part
          </button>
        </div>
        <AlignedEvents a={a.track} b={b.track} parting={parting} index={index} goTo={goTo} />
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
        <caption className="visually-hidden">What the two runs came to</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">
              <a href={a.addressOf(a.track.head)}>{toSafeLine(a.name, 70)}</a>
            </th>
            <th scope="col">
              <a href={b.addressOf(b.track.head)}>{toSafeLine(b.name, 70)}</a>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, a: one, b: other, isSame }) => (
            <tr key={what} className={isSame ? '' : 'differs'}>
              <th scope="row">
                {!isSame && <span aria-label="differs">≠ </span>}
                {what}
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
