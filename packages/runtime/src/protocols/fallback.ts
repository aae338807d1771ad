import type { ProtocolCodec, ProtocolContext } from './codec.ts';
import type { ModelDecision } from './decision.ts';

/**
 * Decodes a reply with several protocols, for models that do not stick to one. The first match wins:
 * 1. the first protocol in which the reply is well formed and intended: its calls are of offered tools, and an answer
 * or a note is the whole reply. Prose that quotes a call or some JSON is still prose;
 * 2. the first protocol that the reply shows signs of: its problems are reported to the model;
 * 3. the first protocol in which the reply has no problem, which is prose as an answer, if a protocol accepts that.
 * Otherwise the problems of the first protocol are reported. Instructions and encoding use the first protocol.
 */
export function createFallbackCodec(codecs: readonly [ProtocolCodec, ...ProtocolCodec[]]): ProtocolCodec {
  const [first] = codecs;
  return {
    ...first,
    name: codecs.map(({ name }) => name).join(', '),
    decode(reply, context) {
      const decisions = codecs.map((codec) => codec.decode(reply, context));
      return (
        decisions.find((decision) => isIntendedDecision(decision, context)) ??
        decisions.find(({ isProtocolReply, problems }) => isProtocolReply && problems.length > 0) ??
        decisions.find(({ problems }) => problems.length === 0) ??
        first.decode(reply, context)
      );
    },
  };
}

function isIntendedDecision(decision: ModelDecision, { tools }: ProtocolContext): boolean {
  const { isProtocolReply, problems, calls, nextState, text } = decision;
  if (!isProtocolReply || problems.length > 0) return false;
  if (calls.length === 0) return nextState !== null || text === '';
  const isOffered = (tool: string) => tools.some(({ name }) => name === tool);
  return calls.every(({ tool }) => isOffered(tool));
}
