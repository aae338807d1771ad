import type { Verdict } from '@pawl/governor';
import { createMessageGovernor, type GovernOptions, type GovernorDecision } from '@pawl/adapters/messages';
import { getOwnField, type JsonFields } from '../json-fields.ts';
import type { ConversationRegistry, ConversationRequest } from './conversations.ts';
import { attachUsage } from './conversation-turns.ts';
import type { WireFormat } from './wire-format.ts';

/** The decision on a request. */
export type GovernedRequest =
  | {
      readonly kind: 'sent';
      readonly request: ConversationRequest;
      /** The change to the body; null to forward it unchanged. */
      readonly change: ((body: JsonFields) => JsonFields) | null;
      readonly verdict: Verdict | null;
      readonly isFinish: boolean;
    }
  | { readonly kind: 'over'; readonly request: ConversationRequest; readonly reason: string };

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
    const request = conversations.resolveRequest(wire, body, name);
    if (request === null) return null;
    const { usages } = request.conversation;
    const { advice, dropTools, isOver, finish, verdict } = judge(
      request.messages.map((message) => attachUsage(message, usages)),
    );
    if (isOver) return { kind: 'over', request, reason: finish ?? 'the conversation is closed' };
    const advise = (original: JsonFields): JsonFields =>
      advice === null ? original : wire.addAdvice(original, advice);
    const adviseAndRemoveTools = (original: JsonFields): JsonFields => wire.removeTools(advise(original));
    const change = dropTools ? adviseAndRemoveTools : advice === null ? null : advise;
    return { kind: 'sent', request, change, verdict, isFinish: dropTools };
  };
}

/** Returns whether a request belongs to an agent: it has tools or earlier replies. */
export function isAgentRequest({ messages }: ConversationRequest, body: JsonFields): boolean {
  return (
    getOwnField(body, 'tools') !== undefined ||
    messages.some((message) => getOwnField(message, 'role') === 'assistant')
  );
}
