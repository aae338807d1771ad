import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { TurnStatus } from '@pawl/core';
import { formatCount } from '../../app/format.ts';
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
} from './chart-model.ts';
import { selectDrawnEdges } from './layout-model.ts';
import { StatePanel } from './state-panel.tsx';
import { listVisits } from './visit-list.ts';
import './chart.css';

// Loaded on demand: the graph libraries are large, and most visits never open a chart.
const LazyStateGraph = lazy(async () => ({ default: (await import('./state-graph.tsx')).StateGraph }));

/** Shows the state chart of a session: the current state, the transitions taken and the visit counts. */
export function ChartView({ track, at, go, version }: SessionViewProps) {
  const [name, setName] = useState<ChartName>('turn');
  const [form, setForm] = useState<ChartForm>('aggregated');
  const [everyWay, setEveryWay] = useState(false);
  const [picked, setPicked] = useState<string | null>(null);
  const charts = useMemo(() => getSessionCharts(track.created), [track]);
  const which = charts.mode === null ? 'turn' : name;
  const chart = which === 'mode' && charts.mode !== null ? charts.mode : charts.turn;
  const walk = getChartTrails(track)[which];
  // `walk` is a mutable list; `version` changes when it grows.
  const shown = useMemo(() => buildChartViewModel(chart, walk, at), [chart, walk, at, version]);
  const edges = useMemo(() => selectDrawnEdges(shown.edges, everyWay, walk.ways), [shown, everyWay, walk]);
  const visits = listVisits(walk, at);
  const toneOf = useCallback((state: string) => getStateTone(which, state), [which]);
  const pick = useCallback((state: string) => setPicked((before) => (before === state ? null : state)), []);
  const goTo = (seq: number): void => go({ seq });
  // Every state the session ever visits gets a row, so that rows stay in place during time travel.
  const states = shown.states.map((state) => state.name).filter((each) => walk.states.has(each));
  return (
    <section className="chart-view" aria-label="State chart">
      <ChartBar
        charts={charts.mode === null ? [] : ['turn', 'mode']}
        which={which}
        setWhich={setName}
        form={form}
        setForm={setForm}
        everyWay={everyWay}
        setEveryWay={setEveryWay}
      >
        in <strong className={`tone-${toneOf(shown.current)}`}>{shown.current}</strong>,{' '}
        {formatCount(shown.moves, 'move')}
      </ChartBar>
      <div className={picked === null ? 'chart-body' : 'chart-body with-side'}>
        <div className={form === 'aggregated' ? 'chart-canvas' : 'chart-canvas lanes'}>
          {form === 'aggregated' ? (
            <Suspense fallback={<LoadingState what="the chart" />}>
              <LazyStateGraph chart={shown} edges={edges} picked={picked} pick={pick} toneOf={toneOf} />
            </Suspense>
          ) : (
            <StateSequence visits={visits} states={states} toneOf={toneOf} goTo={goTo} />
          )}
        </div>
        {picked !== null && (
          <StatePanel
            chart={shown}
            visits={visits}
            state={picked}
            goTo={goTo}
            close={() => setPicked(null)}
            tone={toneOf(picked)}
          />
        )}
      </div>
      <details className="chart-words">
        <summary>The chart in words</summary>
        <ul>
          {describeChartView(shown).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

type ChartForm = 'aggregated' | 'as it ran';

type ChartBarProps = {
  /** The charts to choose from; empty if there is only one. */
  readonly charts: readonly ChartName[];
  readonly which: ChartName;
  readonly setWhich: (chart: ChartName) => void;
  readonly form: ChartForm;
  readonly setForm: (form: ChartForm) => void;
  readonly everyWay: boolean;
  readonly setEveryWay: (everyWay: boolean) => void;
  readonly children: ReactNode;
};

function ChartBar({
  charts,
  which,
  setWhich,
  form,
  setForm,
  everyWay,
  setEveryWay,
  children,
}: ChartBarProps) {
  return (
    <div className="chart-bar">
      {charts.length > 0 && <ToggleGroup label="Which chart" of={charts} chosen={which} choose={setWhich} />}
      <ToggleGroup label="How it is drawn" of={['aggregated', 'as it ran']} chosen={form} choose={setForm} />
      {form === 'aggregated' && (
        <label className="chart-check">
          <input type="checkbox" checked={everyWay} onChange={(event) => setEveryWay(event.target.checked)} />
          every way
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
