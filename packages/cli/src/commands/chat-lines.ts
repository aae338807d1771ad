import { createInterface } from 'node:readline';
import { conversationOf } from '@pawl/core';
import { answerOf } from '@pawl/runtime';
import type { Io } from '../io.ts';
import { visible } from '../visible.ts';
import type { Next, RunView } from './run-view.ts';

/**
 * A conversation by lines: each line of the input is something the user says, each answer goes to the output. Others may say
 * something meanwhile; what they are answered goes there as well.
 */
export function chatLines(io: Io, view: RunView, json: boolean): RunView {
  const lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]();
  let line: ReturnType<typeof lines.next> | null = null;
  let wake = nobody;
  let shown: unknown = null;
  return {
    ...view,
    see(seen) {
      view.see(seen);
      if (seen.session.turn.status !== 'waitingForUser') wake();
    },
    async next(session): Promise<Next> {
      const conversation = conversationOf(session);
      const answer = shown === conversation ? null : answerOf(conversation);
      shown = conversation;
      if (answer !== null && !json) io.stdout.write(`${visible(answer)}\n`);
      const woken = new Promise<null>((resolve) => (wake = () => resolve(null)));
      for (;;) {
        line ??= lines.next();
        const read = await Promise.race([line, woken]);
        if (read === null) return { kind: 'again' };
        line = null;
        if (read.done === true) return { kind: 'end' };
        if (read.value.trim() !== '') return { kind: 'say', text: read.value };
      }
    },
    end: (result) => view.end(json ? result : { ...result, answer: null }),
  };
}

const nobody = (): void => undefined;
