import type { Codec, ProtocolContext } from './codec.ts';
import type { ModelDecision } from './decision.ts';

/**
 * Reads a reply in several protocols, for models that do not keep to one. What counts is the first of these:
 * 1. the first protocol in which the reply is well formed and meant: its calls are of tools on offer, and an answer or a note
 *    in it is all there is. Prose that quotes somebody else's call or some JSON is still prose;
 * 2. the first that the reply shows signs of: its problems are what the model is told;
 * 3. the first in which the reply has no problem, which is prose as an answer, if one of the protocols takes it as that.
 * Otherwise the reply has the problems that the first protocol finds. Asking and answering is done in the first one, too.
 */
export function createFallback(codecs: readonly [Codec, ...Codec[]]): Codec {
  const [first] = codecs;
  return {
    ...first,
    name: codecs.map(({ name }) => name).join(', '),
    decode(reply, context) {
      const decisions = codecs.map((codec) => codec.decode(reply, context));
      return (
        decisions.find((decision) => isMeant(decision, context)) ??
        decisions.find(({ isTraced, problems }) => isTraced && problems.length > 0) ??
        decisions.find(({ problems }) => problems.length === 0) ??
        first.decode(reply, context)
      );
    },
  };
}

function isMeant(decision: ModelDecision, { tools }: ProtocolContext): boolean {
  const { isTraced, problems, calls, nextState, text } = decision;
  if (!isTraced || problems.length > 0) return false;
  if (calls.length === 0) return nextState !== null || text === '';
  const isOffered = (tool: string) => tools.some(({ name }) => name === tool);
  return calls.every(({ tool }) => isOffered(tool));
}
