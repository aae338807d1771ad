import '@xyflow/react/dist/base.css';
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
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatCount, formatElapsedTime } from '../../app/format.ts';
import { useKeys } from '../../app/use-keys.ts';
import { LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';
import type { ChartViewModel, EdgeViewModel, StateViewModel } from './chart-model.ts';
import {
  buildElkGraph,
  formatSvgPath,
  findPointOnPath,
  selectDrawnStates,
  stateBoxSize,
  parseElkLayout,
  type ElkLayout,
  type ElkPoint,
  type ElkResult,
  type ElkGraph,
} from './layout-model.ts';
import ELK from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';

type StateGraphProps = {
  readonly chart: ChartViewModel;
  readonly edges: readonly EdgeViewModel[];
  readonly selected: string | null;
  readonly select: (state: string) => void;
  readonly getTone: (state: string) => string;
};

/** A chart with zoom and pan that highlights the transitions taken. */
export function StateGraph(props: StateGraphProps) {
  const { chart, edges } = props;
  // The layout depends only on the drawn states and edges, not on the selected event.
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
  const shape = JSON.stringify(buildElkGraph(chart, edges, direction));
  const [computed, setComputed] = useState<{ readonly chart: string; readonly layout: ElkLayout } | null>(
    null,
  );
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isMounted = true;
    layOutGraph(JSON.parse(shape) as ReturnType<typeof buildElkGraph>).then(
      (layout) => isMounted && setComputed({ chart: name, layout }),
      (reason: unknown) => isMounted && setError(reason),
    );
    return () => {
      isMounted = false;
    };
  }, [shape, name]);
  return (
    <div ref={box} className="chart-room">
      {error !== null && <ErrorMessage error={error} />}
      {error === null && computed?.chart !== name && <LoadingState what="the layout" />}
      {computed?.chart === name && (
        <ReactFlowProvider key={chart.name}>
          <GraphCanvas {...props} layout={computed.layout} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

type StateNode = Node<
  StateViewModel & { readonly tone: string; readonly isSelected: boolean; readonly select: () => void },
  'state'
>;
type TransitionEdge = Edge<
  EdgeViewModel & { readonly path: string; readonly middle: ElkPoint },
  'transition'
>;

const nodeTypes = { state: StateBox };
const edgeTypes = { transition: TransitionLine };

/** Fits the whole chart, but does not enlarge small charts beyond a readable size. */
const fitViewOptions = { padding: 0.06, maxZoom: 1.1 } as const;

/** Number of states from which a minimap is shown. */
const minimapStatesMin = 16;

function GraphCanvas({
  chart,
  edges,
  selected,
  select,
  getTone,
  layout,
}: StateGraphProps & { readonly layout: ElkLayout }) {
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const nodes = useMemo(
    () =>
      // Draw a new state only once it has a position.
      selectDrawnStates(chart, edges).flatMap((state): readonly StateNode[] => {
        const position = layout.positions.get(state.name);
        if (position === undefined) return [];
        const isSelected = state.name === selected;
        const data = { ...state, tone: getTone(state.name), isSelected, select: () => select(state.name) };
        return [{ id: state.name, type: 'state', position, ...stateBoxSize, data }];
      }),
    [chart, edges, layout, selected, select, getTone],
  );
  const lines = useMemo(() => toFlowEdges(edges, layout), [edges, layout]);
  useEffect(() => {
    const timer = setTimeout(() => void fitView(fitViewOptions), 0);
    return () => clearTimeout(timer);
  }, [layout, fitView, selected === null]);
  useKeys('Chart', [
    { keys: '+', description: 'Zoom in', run: () => void zoomIn() },
    { keys: '-', description: 'Zoom out', run: () => void zoomOut() },
    { keys: '=', description: 'Show all', run: () => void fitView(fitViewOptions) },
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
      fitViewOptions={fitViewOptions}
      proOptions={{ hideAttribution: true }}
      aria-label={`The ${chart.name} chart. Current state: ${chart.current}.`}
    >
      <ArrowMarkers />
      {chart.states.length >= minimapStatesMin && <MiniMap pannable zoomable aria-label="Map of the chart" />}
      <div className="chart-zoom">
        <button type="button" className="icon" aria-label="Zoom in" onClick={() => void zoomIn()}>
          +
        </button>
        <button type="button" className="icon" aria-label="Zoom out" onClick={() => void zoomOut()}>
          −
        </button>
        <button
          type="button"
          className="icon"
          aria-label="Show all"
          onClick={() => void fitView(fitViewOptions)}
        >
          ⤢
        </button>
      </div>
    </ReactFlow>
  );
}

/** Draws edges that were taken above the others. */
function toFlowEdges(edges: readonly EdgeViewModel[], layout: ElkLayout): TransitionEdge[] {
  return edges
    .flatMap((edge): TransitionEdge[] => {
      const points = layout.lines.get(edge.id);
      if (points === undefined) return [];
      const data = { ...edge, path: formatSvgPath(points), middle: findPointOnPath(points) };
      return [{ id: edge.id, source: edge.from, target: edge.to, type: 'transition', data }];
    })
    .toSorted((one, other) => getEdgeWeight(one) - getEdgeWeight(other));
}

function getEdgeWeight({ data }: TransitionEdge): number {
  return data?.isLatest === true ? Infinity : (data?.count ?? 0);
}

function StateBox({ data }: NodeProps<StateNode>) {
  const { name, kind, visits, totalMs, isCurrent, isSelected, tone, select } = data;
  const classes = [
    'chart-state nodrag',
    `tone-${tone}`,
    kind,
    isCurrent ? 'current' : visits > 0 ? 'visited' : 'unseen',
    isSelected ? 'picked' : '',
  ];
  return (
    <>
      <Handle type="target" position={Position.Top} />
      <button type="button" className={classes.join(' ')} aria-pressed={isSelected} onClick={select}>
        <span className="chart-name">{name}</span>
        {isCurrent && <span className="visually-hidden">, current, </span>}
        <span className="chart-count">
          {visits === 0 ? kind : `${visits}×`}
          {totalMs > 0 && ` · ${formatElapsedTime(totalMs)}`}
        </span>
      </button>
      <Handle type="source" position={Position.Bottom} />
    </>
  );
}

function TransitionLine({ data }: EdgeProps<TransitionEdge>) {
  if (data === undefined) return null;
  const { path, middle, count, isLatest, labels, from, to } = data;
  const kind = isLatest ? 'latest' : count > 0 ? 'taken' : 'idle';
  const text = `${count}`;
  const width = 8 + text.length * 7;
  return (
    <g className={`chart-way ${kind}`}>
      <title>{`${from} → ${to}${count > 0 ? `, taken ${formatCount(count, 'time')}` : ''}\n${labels.join('\n')}`}</title>
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

function ArrowMarkers() {
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

type LayoutEngine = { readonly elk: InstanceType<typeof ELK>; readonly broken: Promise<never> };

/** One worker for all charts: it is large to load, and it runs off the main thread to keep the page responsive. */
let layoutEngine: LayoutEngine | null = null;

const layoutCache = new Map<string, Promise<ElkLayout>>();
const cachedLayoutsMax = 32;

/** Computes the layout of a graph; results are cached. */
function layOutGraph(graph: ElkGraph): Promise<ElkLayout> {
  const key = JSON.stringify(graph);
  const cached = layoutCache.get(key);
  if (cached !== undefined) return cached;
  layoutEngine ??= startLayoutEngine();
  const { elk, broken } = layoutEngine;
  // elk mutates its input.
  const copy = JSON.parse(key) as Parameters<typeof elk.layout>[0];
  const layout = Promise.race([elk.layout(copy), broken]).then((result) =>
    parseElkLayout(result as ElkResult),
  );
  if (layoutCache.size >= cachedLayoutsMax) layoutCache.clear();
  layoutCache.set(key, layout);
  layout.catch(() => layoutCache.delete(key));
  return layout;
}

/** elk never settles if its worker cannot be loaded, so the engine reports that error itself. */
function startLayoutEngine(): LayoutEngine {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const workerFactory = (url: string = workerUrl): Worker => {
    const worker = new Worker(url);
    worker.addEventListener('error', () => {
      layoutEngine = null;
      reject(
        new Error('The chart layout could not be loaded. Reload the page, or use the text version below.'),
      );
    });
    return worker;
  };
  return { elk: new ELK({ workerUrl, workerFactory }), broken };
}
