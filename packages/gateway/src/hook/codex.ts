import { loadGovernor } from './hook-state.ts';
import { toToolAnswer, toToolHookEvent } from './claude.ts';
import { toJsonFields, getOwnField } from '../json-fields.ts';
import { toOutputText, type HookHost } from './hook-event.ts';

/**
 * Codex: events and answers are those of Claude Code, except that before a tool runs it can only be denied, and that a
 * failure shows only in the exit code within the tool output.
 */
export const codexHost: HookHost = {
  name: 'codex',
  title: 'Codex',
  parseEvent: (event, input) =>
    toToolHookEvent(event, input, (response) => {
      const code = getOwnField(toJsonFields(response) ?? {}, 'exit_code');
      if (typeof code === 'number') return { ok: code === 0, output: toOutputText(response) };
      const { result, error } = loadGovernor().parseCodexOutcome(response, undefined);
      return { ok: error !== true, output: toOutputText(result) };
    }),
  answer: toToolAnswer,
};
