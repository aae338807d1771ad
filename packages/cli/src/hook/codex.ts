import { governor } from './governor.ts';
import { toolAnswer, toolFact } from './claude.ts';
import { fieldsOf, own } from '../json-fields.ts';
import { saidIn, type Host } from './fact.ts';

/**
 * Codex: the events and answers are those of Claude Code, except that before a tool runs it can only be denied, and that a
 * failure is known by the exit code in what the tool said.
 */
export const codex: Host = {
  name: 'codex',
  title: 'Codex',
  factIn: (event, given) =>
    toolFact(event, given, (response) => {
      const code = own(fieldsOf(response) ?? {}, 'exit_code');
      if (typeof code === 'number') return { ok: code === 0, said: saidIn(response) };
      const { result, error } = governor().codexOutcome(response, undefined);
      return { ok: error !== true, said: saidIn(result) };
    }),
  answer: toolAnswer,
};
