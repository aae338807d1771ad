import {
  Handle,
  MiniMap,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { counted, duration } from '../../app/format.ts';
import { useKeys } from '../../app/use-keys.ts';
import { Loading, Trouble } from '../../app/widgets/notes.tsx';
import type { ChartShown, EdgeShown, StateShown } from './chart-model.ts';
import { laidOut } from './elk-layout.ts';
import {
  elkGraph,
  pathOf,
  pointAlong,
  statesDrawn,
  stateSize,
  type Layout,
  type Point,
} from './layout-model.ts';

type GraphProps = {
  readonly chart: ChartShown;
  readonly edges: readonly EdgeShown[];
  readonly picked: string | null;
  readonly pick: (state: string) => void;
  readonly toneOf: (state: string) => string;
};

/** A chart that can be zoomed and moved, with the way that was gone drawn into it. */
export function Graph(props: GraphProps) {
  const { chart, edges } = props;
  // The layout hangs on which states and lines there are, and on nothing that changes from event to event.
  const box = useRef<HTMLDivElement>(null);
  const [direction, setDirection] = useState<'RIGHT' | 'DOWN'>('RIGHT');
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setDirection(element.clientWidth > element.clientHeight * 1.2 ? 'RIGHT' : 'DOWN');
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { name } = chart;
  const shape = JSON.stringify(elkGraph(chart, edges, direction));
  const [laid, setLaid] = useState<{ readonly chart: string; readonly layout: Layout } | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isWanted = true;
    laidOut(JSON.parse(shape) as ReturnType<typeof elkGraph>).then(
      (layout) => isWanted && setLaid({ chart: name, layout }),
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
  }, [shape, name]);
  return (
    <div ref={box} className="chart-room">
      {error !== null && <Trouble error={error} />}
      {error === null && laid?.chart !== name && <Loading what="the layout" />}
      {laid?.chart === name && (
        <ReactFlowProvider key={chart.name}>
          <Drawn {...props} layout={laid.layout} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

type StateNode = Node<
  StateShown & { readonly tone: string; readonly isPicked: boolean; readonly pick: () => void },
  'state'
>;
type WayEdge = Edge<EdgeShown & { readonly path: string; readonly middle: Point }, 'way'>;

const nodeTypes = { state: State };
const edgeTypes = { way: Way };

/** All of it, but small charts no larger than they read well. */
const fit = { padding: 0.06, maxZoom: 1.1 } as const;

/** From so many states on one loses one's way without a map. */
const mapFrom = 16;

function Drawn({ chart, edges, picked, pick, toneOf, layout }: GraphProps & { readonly layout: Layout }) {
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const nodes = useMemo(
    () =>
      // What is new is drawn once it has its place.
      statesDrawn(chart, edges).flatMap((state): readonly StateNode[] => {
        const position = layout.places.get(state.name);
        if (position === undefined) return [];
        const isPicked = state.name === picked;
        const data = { ...state, tone: toneOf(state.name), isPicked, pick: () => pick(state.name) };
        return [{ id: state.name, type: 'state', position, ...stateSize, data }];
      }),
    [chart, edges, layout, picked, pick, toneOf],
  );
  const lines = useMemo(() => linesOf(edges, layout), [edges, layout]);
  useEffect(() => {
    const timer = setTimeout(() => void fitView(fit), 0);
    return () => clearTimeout(timer);
  }, [layout, fitView, picked === null]);
  useKeys('Chart', [
    { keys: '+', does: 'Zoom in', run: () => void zoomIn() },
    { keys: '-', does: 'Zoom out', run: () => void zoomOut() },
    { keys: '=', does: 'Show all of it', run: () => void fitView(fit) },
  ]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={lines}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      minZoom={0.15}
      maxZoom={2.5}
      fitView
      fitViewOptions={fit}
      proOptions={{ hideAttribution: true }}
      aria-label={`The ${chart.name} chart. The work is in ${chart.current}.`}
    >
      <Arrows />
      {chart.states.length >= mapFrom && <MiniMap pannable zoomable aria-label="Map of the chart" />}
      <div className="chart-zoom">
        <button type="button" className="icon" aria-label="Zoom in" onClick={() => void zoomIn()}>
          +
        </button>
        <button type="button" className="icon" aria-label="Zoom out" onClick={() => void zoomOut()}>
          −
        </button>
        <button type="button" className="icon" aria-label="Show all of it" onClick={() => void fitView(fit)}>
          ⤢
        </button>
      </div>
    </ReactFlow>
  );
}

/** What was taken is drawn over what was not. */
function linesOf(edges: readonly EdgeShown[], layout: Layout): WayEdge[] {
  return edges
    .flatMap((edge): WayEdge[] => {
      const points = layout.lines.get(edge.id);
      if (points === undefined) return [];
      const data = { ...edge, path: pathOf(points), middle: pointAlong(points) };
      return [{ id: edge.id, source: edge.from, target: edge.to, type: 'way', data }];
    })
    .toSorted((one, other) => weight(one) - weight(other));
}

function weight({ data }: WayEdge): number {
  return data?.isLatest === true ? Infinity : (data?.count ?? 0);
}

function State({ data }: NodeProps<StateNode>) {
  const { name, kind, visits, totalMs, isCurrent, isPicked, tone, pick } = data;
  const classes = [
    'chart-state nodrag',
    `tone-${tone}`,
    kind,
    isCurrent ? 'current' : visits > 0 ? 'visited' : 'unseen',
    isPicked ? 'picked' : '',
  ];
  return (
    <>
      <Handle type="target" position={Position.Top} />
      <button type="button" className={classes.join(' ')} aria-pressed={isPicked} onClick={pick}>
        <span className="chart-name">{name}</span>
        {isCurrent && <span className="visually-hidden">, here now, </span>}
        <span className="chart-count">
          {visits === 0 ? kind : `${visits}×`}
          {totalMs > 0 && ` · ${duration(totalMs)}`}
        </span>
      </button>
      <Handle type="source" position={Position.Bottom} />
    </>
  );
}

function Way({ data }: EdgeProps<WayEdge>) {
  if (data === undefined) return null;
  const { path, middle, count, isLatest, labels, from, to } = data;
  const kind = isLatest ? 'latest' : count > 0 ? 'taken' : 'idle';
  const text = `${count}`;
  const width = 8 + text.length * 7;
  return (
    <g className={`chart-way ${kind}`}>
      <title>{`${from} → ${to}${count > 0 ? `, taken ${counted(count, 'time')}` : ''}\n${labels.join('\n')}`}</title>
      <path className="chart-way-hit" d={path} />
      <path className="chart-way-line" d={path} markerEnd={`url(#arrow-${kind})`} />
      {count > 0 && (
        <g transform={`translate(${middle.x} ${middle.y})`}>
          <rect x={-width / 2} y={-9} width={width} height={18} rx={9} />
          <text textAnchor="middle" dy="4">
            {text}
          </text>
        </g>
      )}
    </g>
  );
}

function Arrows() {
  return (
    <svg className="chart-arrows" aria-hidden="true">
      <defs>
        {['idle', 'taken', 'latest'].map((kind) => (
          <marker
            key={kind}
            id={`arrow-${kind}`}
            className={`chart-arrow ${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth={kind === 'idle' ? 8 : 6}
            markerHeight={kind === 'idle' ? 8 : 6}
            orient="auto-start-reverse"
          >
            <path d="M 0 1 L 10 5 L 0 9 z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
