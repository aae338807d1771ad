import type { Model, Tool } from '@pawl/runtime';
import { answer, askedAt, read, type Page } from './work.ts';

/** Answers at once. A scripted model of the runtime would keep every request it was sent. */
export function modelFor(steps: number): Model {
  let step = 0;
  return {
    name: 'zero latency',
    async *stream() {
      if (step === steps) {
        yield { type: 'reply', text: answer, calls: [] };
        return;
      }
      const { text, callId, page } = askedAt(step);
      step += 1;
      yield { type: 'reply', text, calls: [{ id: callId, tool: 'read', args: page }] };
    },
  };
}

export function toolThat(tick: () => void): Tool {
  return {
    description: { name: 'read', description: 'Reads a page of a file.', parameters: { type: 'object' } },
    effect: 'read-only',
    async run(args) {
      tick();
      return { ok: true, output: read(args as Page) };
    },
  };
}
