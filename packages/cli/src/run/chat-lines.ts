import { createInterface } from 'node:readline';
import { getConversation } from '@pawl/core';
import { findTurnAnswer } from '@pawl/runtime';
import type { CommandIo } from '../command-io.ts';
import { sanitizeText } from '../output/sanitize-text.ts';
import type { NextInput, RunView } from './run-view.ts';

/**
 * Line-based chat: each input line is a user message, each answer goes to the output. Answers to messages sent by other
 * processes go there as well.
 */
export function createLineChatView(io: CommandIo, view: RunView, json: boolean): RunView {
  const lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]();
  let line: ReturnType<typeof lines.next> | null = null;
  let wake = doNothing;
  let shownConversation: unknown = null;
  return {
    ...view,
    see(seen) {
      view.see(seen);
      if (seen.session.turn.status !== 'waitingForUser') wake();
    },
    async next(session): Promise<NextInput> {
      const conversation = getConversation(session);
      const answer = shownConversation === conversation ? null : findTurnAnswer(conversation);
      shownConversation = conversation;
      if (answer !== null && !json) io.stdout.write(`${sanitizeText(answer)}\n`);
      const activity = new Promise<null>((resolve) => (wake = () => resolve(null)));
      for (;;) {
        line ??= lines.next();
        const input = await Promise.race([line, activity]);
        if (input === null) return { kind: 'again' };
        line = null;
        if (input.done === true) return { kind: 'end' };
        if (input.value.trim() !== '') return { kind: 'say', text: input.value };
      }
    },
    end: (result) => view.end(json ? result : { ...result, answer: null }),
  };
}

const doNothing = (): void => undefined;
