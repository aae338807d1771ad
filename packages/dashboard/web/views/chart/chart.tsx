import './chart.css';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { TurnStatus } from '@pawl/core';
import { formatCount, formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import { getStatusTone } from '../../app/tones.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { LoadingState } from '../../app/widgets/state-messages.tsx';
import { StateSequence } from './state-sequence.tsx';
import {
  describeChartView,
  buildChartViewModel,
  getSessionCharts,
  getChartTrails,
  type ChartName,
  type ChartViewModel,
} from './chart-model.ts';
import { selectDrawnEdges } from './layout-model.ts';
import { listVisits, type VisitList } from './chart-trail.ts';
import { SvgIcon } from '../../app/widgets/svg-icon.tsx';

// Loaded on demand: the graph libraries are large, and most visits never open a chart.
const LazyStateGraph = lazy(async () => ({ default: (await import('./state-graph.tsx')).StateGraph }));

/** Shows the state chart of a session: the current state, the transitions taken and the visit counts. */
export function ChartView({ timeline, at, navigate, version }: SessionViewProps) {
  const [name, setName] = useState<ChartName>('turn');
  const [form, setForm] = useState<ChartForm>('graph');
  const [everyWay, setEveryWay] = useState(false);
  const [selected, setSelected] = useState<string | null>(null);
  const charts = useMemo(() => getSessionCharts(timeline.created), [timeline]);
  const which = charts.mode === null ? 'turn' : name;
  const chart = which === 'mode' && charts.mode !== null ? charts.mode : charts.turn;
  const trail = getChartTrails(timeline)[which];
  // `walk` is a mutable list; `version` changes when it grows.
  const shown = useMemo(() => buildChartViewModel(chart, trail, at), [chart, trail, at, version]);
  const edges = useMemo(
    () => selectDrawnEdges(shown.edges, everyWay, trail.firstByEdge),
    [shown, everyWay, trail],
  );
  const visits = listVisits(trail, at);
  const getTone = useCallback((state: string) => getStateTone(which, state), [which]);
  const select = useCallback(
    (state: string) => setSelected((before) => (before === state ? null : state)),
    [],
  );
  const goTo = (seq: number): void => navigate({ seq });
  // Every state the session ever visits gets a row, so that rows stay in place during time travel.
  const states = shown.states.map((state) => state.name).filter((each) => trail.states.has(each));
  return (
    <section className="chart-view" aria-label="State chart">
      <ChartBar
        charts={charts.mode === null ? [] : ['turn', 'mode']}
        selectedChart={which}
        selectChart={setName}
        form={form}
        setForm={setForm}
        showAllEdges={everyWay}
        setShowAllEdges={setEveryWay}
      >
        current state <strong className={`tone-${getTone(shown.current)}`}>{shown.current}</strong>,{' '}
        {formatCount(shown.transitionCount, 'transition')}
      </ChartBar>
      <div className={selected === null ? 'chart-body' : 'chart-body with-side'}>
        <div className={form === 'graph' ? 'chart-canvas' : 'chart-canvas lanes'}>
          {form === 'graph' ? (
            <Suspense fallback={<LoadingState what="the chart" />}>
              <LazyStateGraph
                chart={shown}
                edges={edges}
                selected={selected}
                select={select}
                getTone={getTone}
              />
            </Suspense>
          ) : (
            <StateSequence visits={visits} states={states} getTone={getTone} goTo={goTo} />
          )}
        </div>
        {selected !== null && (
          <StatePanel
            chart={shown}
            visits={visits}
            state={selected}
            goTo={goTo}
            close={() => setSelected(null)}
            tone={getTone(selected)}
          />
        )}
      </div>
      <details className="chart-words">
        <summary>Chart as text</summary>
        <ul>
          {describeChartView(shown).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

type ChartForm = 'graph' | 'sequence';

type ChartBarProps = {
  /** The charts to choose from; empty if there is only one. */
  readonly charts: readonly ChartName[];
  readonly selectedChart: ChartName;
  readonly selectChart: (chart: ChartName) => void;
  readonly form: ChartForm;
  readonly setForm: (form: ChartForm) => void;
  readonly showAllEdges: boolean;
  readonly setShowAllEdges: (everyWay: boolean) => void;
  readonly children: ReactNode;
};

function ChartBar({
  charts,
  selectedChart,
  selectChart,
  form,
  setForm,
  showAllEdges,
  setShowAllEdges,
  children,
}: ChartBarProps) {
  return (
    <div className="chart-bar">
      {charts.length > 0 && (
        <ToggleGroup label="Chart" options={charts} selected={selectedChart} onSelect={selectChart} />
      )}
      <ToggleGroup label="Layout" options={['graph', 'sequence']} selected={form} onSelect={setForm} />
      {form === 'graph' && (
        <label className="chart-check">
          <input
            type="checkbox"
            checked={showAllEdges}
            onChange={(event) => setShowAllEdges(event.target.checked)}
          />
          all transitions
        </label>
      )}
      <p className="chart-now" role="status">
        {children}
      </p>
    </div>
  );
}

/** Turn statuses have fixed tones; modes cycle through the tones. */
function getStateTone(chart: ChartName, state: string): string {
  if (chart === 'turn') return getStatusTone(state as TurnStatus);
  const tones = ['model', 'tools', 'user', 'phase', 'hook', 'memory', 'permission'];
  let sum = 0;
  for (const character of state) sum += character.codePointAt(0) ?? 0;
  return tones[sum % tones.length] ?? 'check';
}

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
function StatePanel({ chart, visits, state, tone, goTo, close }: StatePanelProps) {
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
