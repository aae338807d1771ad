import { join } from 'node:path';
import { hop, isTerminalMode, modeSection, overdue, startMode, type ModeFact } from '@pawl/core';
import { readChartFile } from '@pawl/runtime';

// A chart can be a file: its limits say when a mode has lasted too long, and where the agent falls to then.
const research = await readChartFile(join(import.meta.dirname, '05-research-modes.yaml'));
let mode = startMode(research, 0);
let at = 0;

function take(fact: ModeFact): void {
  const { mode: next, moves } = hop(research, mode, { ...fact, at });
  for (const { from, to, cause } of moves) console.log(`${from} → ${to} (${cause})`);
  mode = next;
}

// An agent that does nothing but search.
while (!isTerminalMode(research, mode)) {
  at += 20_000;
  take({ type: 'ticked' });
  const late = overdue(research, mode, at);
  if (late === null) {
    take({ type: 'reply-read', tools: ['search'], nextState: null, words: false });
    continue;
  }
  take({ type: 'stuck-found', cause: late.reason });
  console.log(modeSection(research, mode, { at, advice: 'Publish what you have.' }));
  take({ type: 'finish-asked', cause: 'stuck' });
}
