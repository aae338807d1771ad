export {
  type Chart,
  type ChartMove,
  type ChartState,
  buildChartEdges,
  listMoveLabels,
  type ChartEdge,
  type LabeledMove,
  listChartStates,
} from './charts/chart.ts';

export { toMermaid } from './charts/to-mermaid.ts';
export { toXState } from './charts/to-xstate.ts';
export type { XStateConfig } from './charts/to-xstate.ts';
export { toDrawableChart } from './modes/draw-modes.ts';
export { turnChart } from './turn/states/turn-chart.ts';
