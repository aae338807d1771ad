export type { Chart, ChartMove, ChartState } from './charts/chart.ts';
export { buildChartEdges, listMoveLabels } from './charts/edges.ts';
export type { ChartEdge, LabeledMove } from './charts/edges.ts';
export { listChartStates } from './charts/states.ts';
export { toMermaid } from './charts/to-mermaid.ts';
export { toXState } from './charts/to-xstate.ts';
export type { XStateConfig } from './charts/to-xstate.ts';
export { toDrawableChart } from './modes/draw-modes.ts';
export { turnChart } from './turn/chart.ts';
