import * as z from 'zod';
import { defineTool, failure, type Tool } from './tool.ts';

export type Question = { readonly question: string; readonly options: readonly string[] };

/** Puts a question to a person; resolves to null when nobody answers. Null itself means that nobody is there. */
export type AskUser = ((question: Question, signal: AbortSignal) => Promise<string | null>) | null;

/** Asks the user. An answer is text for the model, whatever it says. */
export function createAskUserTool(ask: AskUser): Tool {
  return defineTool({
    name: 'ask_user',
    effect: 'read-only',
    timeoutMs: null,
    description:
      'Ask the user one question, when the work depends on something only they can decide. Do not ask what you can ' +
      'find out yourself.',
    parameters: z.object({
      question: z.string().trim().min(1).max(4_000).describe('The question, complete in itself.'),
      options: z
        .array(z.string().trim().min(1).max(500))
        .max(10)
        .optional()
        .describe('Answers to choose from.'),
    }),
    async run({ question, options = [] }, { signal }) {
      if (ask === null) return failure('failed', nobody);
      const answer = await ask({ question, options }, signal);
      if (signal.aborted) return failure('cancelled', 'The question was called off.');
      return answer === null ? failure('failed', nobody) : { ok: true, output: { answer } };
    },
  });
}

const nobody =
  'Nobody is there to answer. Decide as a careful colleague would, and say in your answer what you took for granted.';
