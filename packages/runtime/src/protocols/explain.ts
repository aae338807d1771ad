import type { Codec, ProtocolContext } from './codec.ts';
import type { Problem } from './decision.ts';

/** The answer to a reply that could not be used: what was wrong with it, and one that would do. */
export function explainProblems(
  problems: readonly Problem[],
  codec: Codec,
  context: ProtocolContext,
): string {
  const shown = problems
    .slice(0, problemsMax)
    .map(({ what, where, hint }) => `- In ${where}: ${what}. ${hint}`);
  const more = problems.length - shown.length;
  return [
    'Your reply could not be used, and nothing in it was carried out.',
    ...shown,
    ...(more > 0 ? [`- There are ${more} more problems of this kind.`] : []),
    'A valid reply looks like this:',
    codec.example(context),
  ].join('\n');
}

/** A model that gets a long list mends the first lines of it. */
const problemsMax = 5;
