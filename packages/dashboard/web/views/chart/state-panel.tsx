import { formatLocalClock, formatCount, formatElapsedTime } from '../../app/format.ts';
import { SvgIcon } from '../../app/widgets/svg-icon.tsx';
import type { ChartViewModel } from './chart-model.ts';
import type { VisitList } from './visit-list.ts';

type StatePanelProps = {
  readonly chart: ChartViewModel;
  readonly visits: VisitList;
  readonly state: string;
  readonly tone: string;
  readonly goTo: (seq: number) => void;
  readonly close: () => void;
};

const visitsMax = 200;

/** Details of one state: its description, its outgoing transitions and its visits. */
export function StatePanel({ chart, visits, state, tone, goTo, close }: StatePanelProps) {
  const details = chart.states.find(({ name }) => name === state);
  const takenEdges = chart.edges.filter(({ from, count }) => from === state && count > 0);
  const latestVisits = visits.latestIn(state, visitsMax);
  return (
    <aside className={`chart-side tone-${tone}`} aria-label={`About ${state}`}>
      <header>
        <h2>{state}</h2>
        <button type="button" className="icon" aria-label="Close" onClick={close}>
          <SvgIcon name="close" />
        </button>
      </header>
      <p className="chart-about">{details?.description}</p>
      {takenEdges.length > 0 && (
        <>
          <h3>Transitions to</h3>
          <ul className="chart-ways">
            {takenEdges.map(({ id, to, count }) => (
              <li key={id}>
                <span>{to}</span> <span className="chart-times">{count}×</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{details?.visits === 0 ? 'Not visited yet' : formatCount(details?.visits ?? 0, 'visit')}</h3>
      <ol className="chart-visits">
        {latestVisits.map(({ number, seq, at, cause, durationMs, nextState }) => (
          <li key={number}>
            <button type="button" disabled={seq === null} onClick={() => seq !== null && goTo(seq)}>
              <span className="when">{at === null ? 'at the start' : formatLocalClock(at)}</span>
              <span className="what">{cause ?? 'created'}</span>
              <span className="long">{durationMs === null ? 'ongoing' : formatElapsedTime(durationMs)}</span>
              <span className="to">{nextState === null ? '' : `→ ${nextState}`}</span>
            </button>
          </li>
        ))}
      </ol>
    </aside>
  );
}
