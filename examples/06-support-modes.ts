import { join } from 'node:path';
import { toMermaid, toDrawableChart } from '@pawl/core/charts';
import { transitionMode, startMode, type ModeEventPayload } from '@pawl/core/modes';
import { readChartFile } from '@pawl/runtime/charts';

// Here the model chooses the next state itself. An invalid choice resets it to listening, with an error message.
const support = await readChartFile(join(import.meta.dirname, '06-support-modes.json'));
const reply = { type: 'reply-read', tools: [], nextState: null, text: true } as const;
const modeEvents: readonly ModeEventPayload[] = [
  { ...reply, nextState: 'fixing' },
  { ...reply, tools: ['look_up_order'] },
  { type: 'results-in', ok: true, reason: null },
  { ...reply, nextState: 'on holiday' },
  { ...reply, tools: ['refund', 'refund'] },
];
let mode = startMode(support, 0);
for (const [index, fact] of modeEvents.entries()) {
  const { mode: next, error } = transitionMode(support, mode, { ...fact, at: index });
  console.log(`${mode.state} → ${next.state}${error === null ? '' : `: ${error}`}`);
  mode = next;
}

// Any chart can be rendered as a Mermaid diagram.
console.log(toMermaid(toDrawableChart(support)));
