import * as z from 'zod';
import { defineTool, createToolFailure, type Tool } from './tool.ts';

export type UserQuestion = { readonly question: string; readonly options: readonly string[] };

/** Asks the user a question; resolves to null if there is no answer. The value null means that no user is available. */
export type UserPrompter = ((question: UserQuestion, signal: AbortSignal) => Promise<string | null>) | null;

/** Asks the user. The answer is plain text for the model. */
export function createAskUserTool(ask: UserPrompter): Tool {
  return defineTool({
    name: 'ask_user',
    effect: 'read-only',
    timeoutMs: null,
    description:
      'Ask the user one question when the work depends on a decision that only they can make. Do not ask what you can ' +
      'find out yourself.',
    parameters: z.object({
      question: z
        .string()
        .trim()
        .min(1)
        .max(4_000)
        .describe('The question, understandable without further context.'),
      options: z
        .array(z.string().trim().min(1).max(500))
        .max(10)
        .optional()
        .describe('Answers to choose from.'),
    }),
    async run({ question, options = [] }, { signal }) {
      if (ask === null) return createToolFailure('failed', noUserText);
      const answer = await ask({ question, options }, signal);
      if (signal.aborted) return createToolFailure('cancelled', 'The question was cancelled.');
      return answer === null ? createToolFailure('failed', noUserText) : { ok: true, output: { answer } };
    },
  });
}

const noUserText =
  'No user is available to answer. Decide as a careful colleague would, and state your assumptions in your answer.';
