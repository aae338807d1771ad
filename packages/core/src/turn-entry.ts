export { summarizeTurn } from './governor/summarize-turn.ts';
export { turnChart } from './turn/chart.ts';
export { listPendingActions } from './turn/pending-actions.ts';
export type { SessionStep } from './turn/transition-turn.ts';
