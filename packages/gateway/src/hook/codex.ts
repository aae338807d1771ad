import { toToolAnswer, toToolHookEvent } from './claude.ts';
import { toOutputText, type HookHost } from './hook-event.ts';

/**
 * Codex: events and answers are those of Claude Code, except that before a tool runs it can only be denied, and that a
 * failure shows only in the output: in its exit code, if it has one, and in its text.
 */
export const codexHost: HookHost = {
  name: 'codex',
  title: 'Codex',
  parseEvent: (event, input) =>
    toToolHookEvent(event, input, (response) => ({ ok: undefined, output: toOutputText(response) })),
  answer: toToolAnswer,
};
