import type { Chart, ChartState } from '../chart.ts';
import { buildChartEdges } from '../edges.ts';
import { listChartStates } from '../states.ts';
import { arrangeRows } from './arrange-rows.ts';
import type { LayoutBox } from './geometry.ts';
import { selectLabeledEdges, placeLabels, measureEdgeLabel, type EdgeLabel } from './labels.ts';
import {
  buildChartLayers,
  type ChartLayers,
  type EdgeRoute,
  type SlotRow,
  type LayerSlot,
} from './layers.ts';
import { buildEdgeLines, createSelfLoopCurve, type EdgeLine, type SlotPlacement } from './lines.ts';
import { computeSlotPositions } from './positions.ts';
import { findCommonEvents, assignEdgeTiers, type CommonEvent, type TieredEdge } from './edge-tiers.ts';

export type ChartLayout = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly LayoutNode[];
  readonly lines: readonly EdgeLine[];
  readonly labels: readonly EdgeLabel[];
  readonly common: readonly CommonEvent[];
};

export type LayoutNode = { readonly state: ChartState; readonly box: LayoutBox };

const layoutMargin = 36;
const nodeHeight = 38;
const layoutRowHeight = 132;
/** Space above for the marker of the initial state. */
const initialMarkHeight = 32;

/** Computes the layout of a chart. It is deterministic. */
export function computeChartLayout(chart: Chart): ChartLayout {
  const states = listChartStates(chart);
  const edges = buildChartEdges(states);
  const common = findCommonEvents(states, edges);
  const tiered = assignEdgeTiers(states, edges, common);
  const [between, loops] = [tiered.filter((edge) => !isSelfLoop(edge)), tiered.filter(isSelfLoop)];
  const layers = buildChartLayers(chart.initial, states, between);
  const labeledEdges = selectLabeledEdges(between, states.length);
  const rows = arrangeRows(layers);
  const { getBox, width } = placeSlots(rows, layers, labeledEdges);
  const nodes = rows
    .flat()
    .flatMap((slot) => (slot.state === null ? [] : [{ state: slot.state, box: getBox(slot) }]));
  const lines = buildEdgeLines(layers.routes, rows, getBox);
  const labels = placeLabels(
    labeledEdges.flatMap((edge) => lines.filter((line) => line.edge === edge)),
    nodes.map((node) => node.box),
  );
  return {
    width,
    height: 2 * layoutMargin + initialMarkHeight + (rows.length - 1) * layoutRowHeight + nodeHeight,
    nodes,
    lines: [...lines, ...loops.flatMap((edge) => createSelfLoopLines(edge, nodes))],
    labels,
    common,
  };
}

function isSelfLoop({ from, to }: TieredEdge): boolean {
  return from === to;
}

function createSelfLoopLines(edge: TieredEdge, nodes: readonly LayoutNode[]): readonly EdgeLine[] {
  return nodes
    .filter(({ state }) => state.name === edge.from)
    .map(({ box }) => ({ edge, curves: [createSelfLoopCurve(box)] }));
}

/** Converts rows and order to boxes, shifted so that the leftmost starts at the margin. */
function placeSlots(
  rows: readonly SlotRow[],
  { links, routes }: ChartLayers,
  labeledEdges: readonly TieredEdge[],
): { readonly getBox: SlotPlacement; readonly width: number } {
  const labelRoom = computeLabelRoom(
    rows,
    routes.filter(({ edge }) => labeledEdges.includes(edge)),
  );
  const centers = computeSlotPositions(rows, links, (left, right) => {
    const room = Math.max(computeSlotGap(left, right), labelRoom.get(left) ?? 0);
    return (left.width + right.width) / 2 + room;
  });
  const getLeft = (slot: LayerSlot): number => (centers.get(slot) ?? 0) - slot.width / 2;
  const slots = rows.flat();
  const start = Math.min(...slots.map(getLeft)) - layoutMargin;
  const end = Math.max(...slots.map((slot) => getLeft(slot) + slot.width)) + layoutMargin;
  return {
    width: end - start,
    getBox: (slot) => ({
      x: getLeft(slot) - start,
      y: layoutMargin + initialMarkHeight + slot.rank * layoutRowHeight,
      width: slot.width,
      height: nodeHeight,
    }),
  };
}

/** Computes the space that labels between neighboring states need, to the right of the first state. */
function computeLabelRoom(
  rows: readonly SlotRow[],
  routes: readonly EdgeRoute[],
): ReadonlyMap<LayerSlot, number> {
  const room = new Map<LayerSlot, number>();
  for (const row of rows) {
    const states = row.filter((slot) => slot.state !== null);
    for (const [index, left] of states.entries()) {
      const pair = [left, states[index + 1]];
      const level = routes.filter(({ from, to }) => pair.includes(from) && pair.includes(to));
      room.set(left, Math.max(0, ...level.map(({ edge }) => measureEdgeLabel(edge) + 30)));
    }
  }
  return room;
}

function computeSlotGap(left: LayerSlot, right: LayerSlot): number {
  const states = [left, right].filter((slot) => slot.state !== null).length;
  return states === 2 ? 64 : states === 1 ? 22 : 6;
}
