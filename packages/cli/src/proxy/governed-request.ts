import type { Verdict } from '@pawl/core';
import { createMessageGovernor, type GovernOptions, type GovernorDecision } from '@pawl/adapters/messages';
import { getOwnField, type JsonFields } from '../json-fields.ts';
import type { ConversationRegistry, ConversationRequest } from './conversations.ts';
import { attachUsage } from './conversation-turns.ts';
import type { WireFormat } from './wire-format.ts';

/** The decision on a request. */
export type GovernedRequest =
  | {
      readonly kind: 'sent';
      readonly heard: ConversationRequest;
      /** The change to the body; null to forward it unchanged. */
      readonly change: ((body: JsonFields) => JsonFields) | null;
      readonly verdict: Verdict | null;
      readonly isFinish: boolean;
    }
  | { readonly kind: 'over'; readonly heard: ConversationRequest; readonly reason: string };

/** Null if the request is not a conversation. */
export type RequestGovernor = (
  wire: WireFormat,
  body: JsonFields,
  name: string | undefined,
) => GovernedRequest | null;

/** Judges each request by its conversation. Advice is added only to that request. */
export function createRequestGovernor(
  conversations: ConversationRegistry,
  options: GovernOptions,
): RequestGovernor {
  const judge: (messages: readonly object[]) => GovernorDecision = createMessageGovernor(options);
  return (wire, body, name) => {
    const heard = conversations.hear(wire, body, name);
    if (heard === null) return null;
    const { usages } = heard.conversation;
    const { advice, dropTools, isOver, finish, verdict } = judge(
      heard.messages.map((message) => attachUsage(message, usages)),
    );
    if (isOver) return { kind: 'over', heard, reason: finish ?? 'the work has come to its end' };
    const advise = (given: JsonFields): JsonFields =>
      advice === null ? given : wire.withAdvice(given, advice);
    const finishing = (given: JsonFields): JsonFields => wire.withoutTools(advise(given));
    const change = dropTools ? finishing : advice === null ? null : advise;
    return { kind: 'sent', heard, change, verdict, isFinish: dropTools };
  };
}

/** Returns whether a request belongs to an agent: it has tools or earlier replies. */
export function isAgentRequest({ messages }: ConversationRequest, body: JsonFields): boolean {
  return (
    getOwnField(body, 'tools') !== undefined ||
    messages.some((message) => getOwnField(message, 'role') === 'assistant')
  );
}
