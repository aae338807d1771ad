import type { Model, Tool } from '@pawl/runtime';
import { benchAnswer, createPageRequest, readBenchPage, type FilePage } from './bench-session.ts';

/** A model that answers immediately. The runtime's scripted model is not used because it stores every request. */
export function createInstantModel(steps: number): Model {
  let step = 0;
  return {
    name: 'zero latency',
    async *stream() {
      if (step === steps) {
        yield { type: 'reply', text: benchAnswer, calls: [] };
        return;
      }
      const { text, callId, page } = createPageRequest(step);
      step += 1;
      yield { type: 'reply', text, calls: [{ id: callId, tool: 'read', args: page }] };
    },
  };
}

export function createTickingTool(tick: () => void): Tool {
  return {
    description: { name: 'read', description: 'Reads a page of a file.', parameters: { type: 'object' } },
    effect: 'read-only',
    async run(args) {
      tick();
      return { ok: true, output: readBenchPage(args as FilePage) };
    },
  };
}
