import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { TurnStatus } from '@pawl/core';
import { counted } from '../../app/format.ts';
import { toneOfStatus } from '../../app/tones.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { Either } from '../../app/widgets/either.tsx';
import { Loading } from '../../app/widgets/notes.tsx';
import { AsItRan } from './as-it-ran.tsx';
import { chartInWords, chartShown, chartsOf, walksOf, type ChartName } from './chart-model.ts';
import { linesDrawn } from './layout-model.ts';
import { StatePanel } from './state-panel.tsx';
import { visitsOf } from './visits.ts';
import './chart.css';

// What draws and lays out charts is large, and most visits to a session never look at one.
const Graph = lazy(async () => ({ default: (await import('./graph.tsx')).Graph }));

/** The states that the session goes through: where it is, how it came there, and how often it was where. */
export function ChartView({ track, at, go, version }: SessionViewProps) {
  const [name, setName] = useState<ChartName>('turn');
  const [form, setForm] = useState<Form>('aggregated');
  const [everyWay, setEveryWay] = useState(false);
  const [picked, setPicked] = useState<string | null>(null);
  const charts = useMemo(() => chartsOf(track.created), [track]);
  const which = charts.mode === null ? 'turn' : name;
  const chart = which === 'mode' && charts.mode !== null ? charts.mode : charts.turn;
  const walk = walksOf(track)[which];
  // The walk is one list that grows; the version tells when it has.
  const shown = useMemo(() => chartShown(chart, walk, at), [chart, walk, at, version]);
  const edges = useMemo(() => linesDrawn(shown.edges, everyWay, walk.ways), [shown, everyWay, walk]);
  const visits = visitsOf(walk, at);
  const toneOf = useCallback((state: string) => toneFor(which, state), [which]);
  const pick = useCallback((state: string) => setPicked((before) => (before === state ? null : state)), []);
  const goTo = (seq: number): void => go({ seq });
  // A row for each state that the run ever came to, so that rows stay where they are under time travel.
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
        {counted(shown.moves, 'move')}
      </ChartBar>
      <div className={picked === null ? 'chart-body' : 'chart-body with-side'}>
        <div className={form === 'aggregated' ? 'chart-canvas' : 'chart-canvas lanes'}>
          {form === 'aggregated' ? (
            <Suspense fallback={<Loading what="the chart" />}>
              <Graph chart={shown} edges={edges} picked={picked} pick={pick} toneOf={toneOf} />
            </Suspense>
          ) : (
            <AsItRan visits={visits} states={states} toneOf={toneOf} goTo={goTo} />
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
          {chartInWords(shown).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}

type Form = 'aggregated' | 'as it ran';

type ChartBarProps = {
  /** The charts that there are to choose from; none where there is only one. */
  readonly charts: readonly ChartName[];
  readonly which: ChartName;
  readonly setWhich: (chart: ChartName) => void;
  readonly form: Form;
  readonly setForm: (form: Form) => void;
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
      {charts.length > 0 && <Either label="Which chart" of={charts} chosen={which} choose={setWhich} />}
      <Either label="How it is drawn" of={['aggregated', 'as it ran']} chosen={form} choose={setForm} />
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

/** The states of the turn have their own colours; those of a mode may be any, and take turns. */
function toneFor(chart: ChartName, state: string): string {
  if (chart === 'turn') return toneOfStatus(state as TurnStatus);
  const tones = ['model', 'tools', 'user', 'phase', 'hook', 'memory', 'permission'];
  let sum = 0;
  for (const character of state) sum += character.codePointAt(0) ?? 0;
  return tones[sum % tones.length] ?? 'check';
}
