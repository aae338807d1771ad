import type { Chart, ChartState } from '../chart.ts';
import { edgesOf } from '../edges.ts';
import { statesOf } from '../states.ts';
import { arrange } from './arrange.ts';
import type { Box } from './geometry.ts';
import { labelled, placeLabels, widthOfLabel, type Label } from './labels.ts';
import { layersOf, type Layers, type Route, type Row, type Slot } from './layers.ts';
import { linesFor, loopAt, type Line, type Placed } from './lines.ts';
import { positionsOf } from './positions.ts';
import { commonIn, tiersOf, type Common, type TieredEdge } from './tiers.ts';

export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Node[];
  readonly lines: readonly Line[];
  readonly labels: readonly Label[];
  readonly common: readonly Common[];
};

export type Node = { readonly state: ChartState; readonly box: Box };

const margin = 36;
const nodeHeight = 38;
const rowHeight = 132;
/** Room above for the mark that leads into the initial state. */
const headroom = 32;

/** Where everything in the drawing of a chart goes. The same chart always gives the same drawing. */
export function layOut(chart: Chart): Layout {
  const states = statesOf(chart);
  const edges = edgesOf(states);
  const common = commonIn(states, edges);
  const tiered = tiersOf(states, edges, common);
  const [between, loops] = [tiered.filter((edge) => !isLoop(edge)), tiered.filter(isLoop)];
  const layers = layersOf(chart.initial, states, between);
  const withLabel = labelled(between, states.length);
  const rows = arrange(layers);
  const { placed, width } = place(rows, layers, withLabel);
  const nodes = rows
    .flat()
    .flatMap((slot) => (slot.state === null ? [] : [{ state: slot.state, box: placed(slot) }]));
  const lines = linesFor(layers.routes, rows, placed);
  const labels = placeLabels(
    withLabel.flatMap((edge) => lines.filter((line) => line.edge === edge)),
    nodes.map((node) => node.box),
  );
  return {
    width,
    height: 2 * margin + headroom + (rows.length - 1) * rowHeight + nodeHeight,
    nodes,
    lines: [...lines, ...loops.flatMap((edge) => loopOf(edge, nodes))],
    labels,
    common,
  };
}

function isLoop({ from, to }: TieredEdge): boolean {
  return from === to;
}

function loopOf(edge: TieredEdge, nodes: readonly Node[]): readonly Line[] {
  return nodes
    .filter(({ state }) => state.name === edge.from)
    .map(({ box }) => ({ edge, curves: [loopAt(box)] }));
}

/** Turns rows and order into boxes, moved so that the leftmost begins at the margin. */
function place(
  rows: readonly Row[],
  { links, routes }: Layers,
  withLabel: readonly TieredEdge[],
): { readonly placed: Placed; readonly width: number } {
  const wanted = roomFor(
    rows,
    routes.filter(({ edge }) => withLabel.includes(edge)),
  );
  const middles = positionsOf(rows, links, (left, right) => {
    const room = Math.max(gapBetween(left, right), wanted.get(left) ?? 0);
    return (left.width + right.width) / 2 + room;
  });
  const leftOf = (slot: Slot): number => (middles.get(slot) ?? 0) - slot.width / 2;
  const slots = rows.flat();
  const start = Math.min(...slots.map(leftOf)) - margin;
  const end = Math.max(...slots.map((slot) => leftOf(slot) + slot.width)) + margin;
  return {
    width: end - start,
    placed: (slot) => ({
      x: leftOf(slot) - start,
      y: margin + headroom + slot.rank * rowHeight,
      width: slot.width,
      height: nodeHeight,
    }),
  };
}

/** The room that a label asks for on its way from a state to the next in the row, given to the right of the first. */
function roomFor(rows: readonly Row[], routes: readonly Route[]): ReadonlyMap<Slot, number> {
  const room = new Map<Slot, number>();
  for (const row of rows) {
    const states = row.filter((slot) => slot.state !== null);
    for (const [index, left] of states.entries()) {
      const pair = [left, states[index + 1]];
      const level = routes.filter(({ from, to }) => pair.includes(from) && pair.includes(to));
      room.set(left, Math.max(0, ...level.map(({ edge }) => widthOfLabel(edge) + 30)));
    }
  }
  return room;
}

function gapBetween(left: Slot, right: Slot): number {
  const states = [left, right].filter((slot) => slot.state !== null).length;
  return states === 2 ? 64 : states === 1 ? 22 : 6;
}
