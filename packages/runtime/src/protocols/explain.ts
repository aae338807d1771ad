import type { ProtocolCodec, ProtocolContext } from './codec.ts';
import type { ReplyProblem } from './decision.ts';

/** Formats the feedback for an unusable reply: its problems and a valid example. */
export function explainProblems(
  problems: readonly ReplyProblem[],
  codec: ProtocolCodec,
  context: ProtocolContext,
): string {
  const shown = problems
    .slice(0, explainedProblemsMax)
    .map(({ problem, location, hint }) => `- In ${location}: ${problem}. ${hint}`);
  const more = problems.length - shown.length;
  return [
    'Your reply is invalid, and nothing in it was executed.',
    ...shown,
    ...(more > 0 ? [`- There are ${more} more problems.`] : []),
    'A valid reply looks like this:',
    codec.example(context),
  ].join('\n');
}

/** Models fix only the first items of a long list. */
const explainedProblemsMax = 5;
