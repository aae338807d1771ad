import { join } from 'node:path';
import { chartOf, hop, startMode, toMermaid, type ModeFact } from '@pawl/core';
import { readChartFile } from '@pawl/runtime';

// Here the model says itself what comes next. What it gets wrong leads back to listening, and it is told why.
const support = await readChartFile(join(import.meta.dirname, '06-support-modes.json'));
const reply = { type: 'reply-read', tools: [], nextState: null, words: true } as const;
const story: readonly ModeFact[] = [
  { ...reply, nextState: 'fixing' },
  { ...reply, tools: ['look_up_order'] },
  { type: 'results-in', ok: true, reason: null },
  { ...reply, nextState: 'on holiday' },
  { ...reply, tools: ['refund', 'refund'] },
];
let mode = startMode(support, 0);
for (const [index, fact] of story.entries()) {
  const { mode: next, error } = hop(support, mode, { ...fact, at: index });
  console.log(`${mode.state} → ${next.state}${error === null ? '' : `: ${error}`}`);
  mode = next;
}

// And any chart can be drawn.
console.log(toMermaid(chartOf(support)));
