import { createInterface } from 'node:readline';
import { conversationOf } from '@pawl/core';
import { answerOf } from '@pawl/runtime';
import type { Io } from '../io.ts';
import { visible } from '../visible.ts';
import type { Next, RunView } from './run-view.ts';

/** A conversation by lines: each line of the input is something the user says, each answer goes to the output. */
export function chatLines(io: Io, view: RunView, json: boolean): RunView {
  const lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]();
  return {
    ...view,
    async next(session): Promise<Next> {
      const answer = answerOf(conversationOf(session));
      if (answer !== null && !json) io.stdout.write(`${visible(answer)}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) return { kind: 'end' };
        if (value.trim() !== '') return { kind: 'say', text: value };
      }
    },
    end: (result) => view.end(json ? result : { ...result, answer: null }),
  };
}
