import { join } from 'node:path';
import {
  transitionMode,
  isTerminalMode,
  renderModeSection,
  findReachedModeLimit,
  startMode,
  type ModeEventPayload,
} from '@pawl/core/modes';
import { readChartFile } from '@pawl/runtime/charts';

// A chart can be a file. Its limits define when a mode has lasted too long and which mode follows then.
const research = await readChartFile(join(import.meta.dirname, '05-research-modes.yaml'));
let mode = startMode(research, 0);
let at = 0;

function applyModeEvent(fact: ModeEventPayload): void {
  const { mode: next, changes } = transitionMode(research, mode, { ...fact, at });
  for (const { from, to, cause } of changes) console.log(`${from} → ${to} (${cause})`);
  mode = next;
}

// Simulate an agent that only searches.
while (!isTerminalMode(research, mode)) {
  at += 20_000;
  applyModeEvent({ type: 'ticked' });
  const late = findReachedModeLimit(research, mode, at);
  if (late === null) {
    applyModeEvent({ type: 'reply-read', tools: ['search'], nextState: null, text: false });
    continue;
  }
  applyModeEvent({ type: 'stuck-found', cause: late.reason });
  console.log(renderModeSection(research, mode, { at, advice: 'Publish what you have.' }));
  applyModeEvent({ type: 'finish-asked', cause: 'stuck' });
}
