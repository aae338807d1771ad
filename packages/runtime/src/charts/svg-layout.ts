import {
  buildChartEdges,
  listChartStates,
  listMoveLabels,
  type Chart,
  type ChartState,
  type ChartEdge,
  type LabeledMove,
} from '@pawl/core/charts';
import type { ElkExtendedEdge, ElkLabel, ElkNode, ElkPoint, LayoutOptions } from 'elkjs/lib/elk-api.js';

export type ChartLayout = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly LayoutNode[];
  readonly lines: readonly EdgeLine[];
  readonly labels: readonly EdgeLabel[];
  readonly common: readonly CommonEvent[];
};

export type LayoutBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type LayoutNode = { readonly state: ChartState; readonly box: LayoutBox };

/** A line as cubic curves: its start, then two control points and an end for each curve. */
export type EdgeLine = { readonly edge: TieredEdge; readonly points: readonly ElkPoint[] };

export type EdgeLabel = {
  readonly edge: TieredEdge;
  readonly box: LayoutBox;
  readonly texts: readonly string[];
};

export const nodeNameMax = 32;
export const labelLineHeight = 12;
const nodeNameFontSize = 13;
const nodeHeight = 38;
const layoutMargin = 36;
/** Space above for the marker of the initial state. */
const initialMarkHeight = 32;

const graphOptions: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'SPLINES',
  'elk.edgeLabels.placement': 'CENTER',
  'elk.layered.mergeEdges': 'true',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.spacing.nodeNodeBetweenLayers': '32',
  'elk.spacing.nodeNode': '40',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.edgeLabel': '4',
  'elk.padding': `[top=${layoutMargin + initialMarkHeight},left=${layoutMargin},bottom=${layoutMargin},right=${layoutMargin}]`,
  'elk.separateConnectedComponents': 'false',
  'elk.randomSeed': '1',
};

const edgePriorities = { main: '10', plain: '1', faint: '0' } as const;

/** Computes the layout of a chart with elk. It is deterministic. */
export async function computeChartLayout(chart: Chart): Promise<ChartLayout> {
  const states = listChartStates(chart);
  const chartEdges = buildChartEdges(states);
  const common = findCommonEvents(states, chartEdges);
  const edges = assignEdgeTiers(states, chartEdges, common);
  const labeledEdges = selectLabeledEdges(edges, states.length);
  const placedStates = states.map((state, index) => placeState(state, index, chart.initial));
  const byName = new Map(placedStates.map((each) => [each.name, each]));
  const elkEdges = edges.map((edge, index) => toElkEdge(edge, index, byName, labeledEdges.has(edge)));
  const { default: elk } = await import('elkjs/lib/elk.bundled.js');
  const graph: ElkNode = await new elk.default().layout({
    id: 'chart',
    layoutOptions: graphOptions,
    children: placedStates.map((each) => toElkNode(each, elkEdges)),
    edges: elkEdges,
  });
  return {
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    nodes: states.flatMap((state, index) => {
      const node = graph.children?.[index];
      return node === undefined ? [] : [{ state, box: toBox(node) }];
    }),
    lines: edges.flatMap((edge, index) => {
      const { sections: [section] = [], sources: [source] = [] } = graph.edges?.[index] ?? {};
      if (section === undefined) return [];
      const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
      return [{ edge, points: source === byName.get(edge.from)?.id ? points : points.toReversed() }];
    }),
    labels: edges.flatMap((edge, index) =>
      (graph.edges?.[index]?.labels ?? []).map((label) => ({
        edge,
        box: toBox(label),
        texts: listLabelTexts(edge),
      })),
    ),
    common,
  };
}

/** A state with its id for elk, because its name may be any text. Edges are laid out from lower to higher levels. */
type PlacedState = { readonly id: string; readonly name: string; readonly level: 0 | 1 | 2 };

function placeState({ name, kind }: ChartState, index: number, initial: string): PlacedState {
  return { id: `s${index}`, name, level: name === initial ? 0 : kind === 'terminal' ? 2 : 1 };
}

/** The initial state is in the first layer, and terminal states that lead nowhere are in the last one. */
function toElkNode({ id, name, level }: PlacedState, edges: readonly ElkExtendedEdge[]): ElkNode {
  const isSink = edges.every(({ sources, targets }) => !sources.includes(id) || targets.includes(id));
  const constraint = level === 0 ? 'FIRST' : level === 2 && isSink ? 'LAST' : 'NONE';
  return {
    id,
    width: Math.max(88, estimateTextWidth(clipToOneLine(name, nodeNameMax), nodeNameFontSize) + 34),
    height: nodeHeight,
    layoutOptions: { 'elk.layered.layering.layerConstraint': constraint },
  };
}

/** An edge to the initial state or from a terminal one is reversed for the layout, as those layers require. */
function toElkEdge(
  edge: TieredEdge,
  index: number,
  states: ReadonlyMap<string, PlacedState>,
  isLabeled: boolean,
): ElkExtendedEdge {
  const ends = [edge.from, edge.to].flatMap((name) => states.get(name) ?? []);
  const [source, target] = ends.toSorted((one, other) => one.level - other.level);
  const priority = edgePriorities[edge.tier];
  return {
    id: `e${index}`,
    sources: [source?.id ?? ''],
    targets: [target?.id ?? ''],
    labels: isLabeled ? [toElkLabel(edge)] : [],
    layoutOptions: {
      'elk.layered.priority.direction': priority,
      'elk.layered.priority.shortness': priority,
      'elk.layered.priority.straightness': priority,
    },
  };
}

function toBox({ x = 0, y = 0, width = 0, height = 0 }: Partial<LayoutBox>): LayoutBox {
  return { x, y, width, height };
}

/** Selects the edges to label; in a dense chart only the main ones. Moves to the same state have only a tooltip. */
function selectLabeledEdges(edges: readonly TieredEdge[], states: number): ReadonlySet<TieredEdge> {
  const labeled = edges.filter(
    ({ labels, tier, from, to }) => labels.length > 0 && tier !== 'faint' && from !== to,
  );
  return new Set(labeled.length > states * 2.5 ? labeled.filter(({ tier }) => tier === 'main') : labeled);
}

const labelFontSize = 10.5;
const labelLengthMax = 27;
const labelLinesMax = 2;

/** elk places only labels with a text. */
function toElkLabel(edge: TieredEdge): ElkLabel {
  const texts = listLabelTexts(edge);
  return {
    text: 'label',
    width: Math.max(...texts.map((text) => estimateTextWidth(text, labelFontSize))),
    height: texts.length * labelLineHeight,
  };
}

/** Returns the label lines of an edge; longer and further labels appear only in its tooltip. */
function listLabelTexts({ moves, labels }: TieredEdge): readonly string[] {
  const texts = labels.map((label) => {
    const event = moves.find((move) => move.label === label)?.on ?? label;
    return clipToOneLine(label.length <= labelLengthMax ? label : event, labelLengthMax);
  });
  const unique = [...new Set(texts)];
  return unique.length <= labelLinesMax
    ? unique
    : [...unique.slice(0, labelLinesMax - 1), `and ${unique.length - labelLinesMax + 1} more`];
}

/** Escapes text for XML; characters that XML cannot represent become the replacement character. */
export function escapeSvgText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Estimates the rendered width of a text in pixels. Fonts differ, and boxes leave room for that. */
export function estimateTextWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) ems += (character.codePointAt(0) ?? 0) < 0x11_00 ? 0.56 : 1.1;
  return ems * fontSize;
}

/** Collapses a text to one line and truncates it. */
export function clipToOneLine(text: string, lengthMax: number): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, ' '));
  const isShort = characters.length <= lengthMax;
  return isShort ? characters.join('') : `${characters.slice(0, lengthMax - 1).join('')}…`;
}

/** How strongly an edge is drawn: the main path, other edges, and edges shared by nearly every state. */
type EdgeTier = 'main' | 'plain' | 'faint';

type TieredEdge = ChartEdge & {
  readonly tier: EdgeTier;
  /** The labels of the edge, without those shared by nearly every state. */
  readonly labels: readonly string[];
};

/**
 * An event that leads from nearly every state to one (`end` is `to`), or from one to nearly every other (`end` is
 * `from`).
 */
export type CommonEvent = { readonly event: string; readonly at: string; readonly end: 'to' | 'from' };

function assignEdgeTiers(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
  commonEvents: readonly CommonEvent[],
): readonly TieredEdge[] {
  const commonKeys = new Set(commonEvents.map(getCommonEventKey));
  const isGathering = ({ to }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && commonKeys.has(getCommonEventKey({ event: on, at: to, end: 'to' }));
  const isSpreading = ({ from }: ChartEdge, { on }: LabeledMove): boolean =>
    on !== null && commonKeys.has(getCommonEventKey({ event: on, at: from, end: 'from' }));
  const listOwnMoves = (edge: ChartEdge): readonly LabeledMove[] =>
    edge.moves.filter((move) => !isGathering(edge, move) && !isSpreading(edge, move));
  const mainPath = findMainPath(
    states,
    edges.filter((edge) => listOwnMoves(edge).length > 0),
  );
  return edges.map((edge) => ({
    ...edge,
    tier: listOwnMoves(edge).length === 0 ? 'faint' : mainPath.has(edge) ? 'main' : 'plain',
    labels: listMoveLabels(listOwnMoves(edge)),
  }));
}

/** Finds the events that connect one state with at least half of the others, and with at least four. */
function findCommonEvents(
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
): readonly CommonEvent[] {
  const candidates = new Map<string, { readonly common: CommonEvent; readonly others: Set<string> }>();
  for (const { from, to, moves } of edges.filter((edge) => edge.from !== edge.to)) {
    for (const event of new Set(moves.flatMap(({ on }) => on ?? []))) {
      addState({ event, at: to, end: 'to' }, from);
      addState({ event, at: from, end: 'from' }, to);
    }
  }
  const minStates = Math.max(4, (states.length - 1) / 2);
  return [...candidates.values()]
    .filter(({ others }) => others.size >= minStates)
    .map(({ common }) => common);

  function addState(common: CommonEvent, other: string): void {
    const known = candidates.get(getCommonEventKey(common)) ?? { common, others: new Set() };
    known.others.add(other);
    candidates.set(getCommonEventKey(common), known);
  }
}

function getCommonEventKey({ event, at, end }: CommonEvent): string {
  return JSON.stringify([event, at, end]);
}

/**
 * Finds the main path through the chart from the order of its states: from each state to the nearest later one, and to
 * each from the nearest earlier one.
 */
function findMainPath(states: readonly ChartState[], edges: readonly ChartEdge[]): ReadonlySet<ChartEdge> {
  const positions = new Map(states.map((state, index) => [state.name, index]));
  const terminalNames = new Set(
    states.filter((state) => state.kind === 'terminal').map((state) => state.name),
  );
  const getEdgeLength = ({ from, to }: ChartEdge): number =>
    (positions.get(to) ?? 0) - (positions.get(from) ?? 0);
  const forward = edges.filter((edge) => getEdgeLength(edge) > 0 && !terminalNames.has(edge.to));
  const findShortest = (group: readonly ChartEdge[]): ChartEdge =>
    group.reduce((best, edge) => (getEdgeLength(edge) < getEdgeLength(best) ? edge : best));
  return new Set([
    ...[...Map.groupBy(forward, (edge) => edge.from).values()].map(findShortest),
    ...[...Map.groupBy(forward, (edge) => edge.to).values()].map(findShortest),
  ]);
}
