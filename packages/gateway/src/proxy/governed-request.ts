import type { Verdict } from '@pawl/governor';
import { createMessageGovernor, type GovernOptions } from '@pawl/adapters/messages';
import { getOwnField, type JsonFields } from '../json-fields.ts';
import type { ConversationRegistry, ConversationRequest } from './conversations.ts';
import { attachUsage } from './conversation-turns.ts';
import { buildCompletionCall, createCompletionToolFilter } from './completion-tools.ts';
import type { ProxyReply, WireFormat } from './wire-format.ts';

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
  | {
      readonly kind: 'over';
      readonly request: ConversationRequest;
      readonly reason: string;
      /** The reply to the agent in place of the model's. */
      readonly reply: Pick<ProxyReply, 'text' | 'call'>;
    };

/** Null if the request is not a conversation. */
export type RequestGovernor = (
  wire: WireFormat,
  body: JsonFields,
  name: string | undefined,
) => GovernedRequest | null;

export type RequestGovernorOptions = {
  readonly govern?: GovernOptions;
  /** Completion tools besides the known ones. */
  readonly completionTools?: readonly string[];
};

/** Judges each request by its conversation. Advice is added only to that request. */
export function createRequestGovernor(
  conversations: ConversationRegistry,
  { govern = {}, completionTools = [] }: RequestGovernorOptions,
): RequestGovernor {
  const judge = createMessageGovernor(govern);
  const isCompletionTool = createCompletionToolFilter(completionTools);
  return (wire, body, name) => {
    const request = conversations.resolveRequest(wire, body, name);
    if (request === null) return null;
    const { usages } = request.conversation;
    const offered = wire.getTools(body).filter((tool) => isCompletionTool(tool.name));
    const names = offered.map((tool) => tool.name);
    const { advice, dropTools, isOver, finish, verdict } = judge(
      request.messages.map((message) => attachUsage(message, usages)),
      { completionTools: names },
    );
    if (isOver) {
      const reason = finish ?? 'its work has ended';
      const text = formatClosingText(reason);
      return {
        kind: 'over',
        request,
        reason,
        reply: { text, call: buildCompletionCall(offered[0], text, request.messages) },
      };
    }
    const { unsent } = request;
    const changes = [
      ...(unsent === null ? [] : [(original: JsonFields) => wire.addUnsentItems(original, unsent)]),
      ...(advice === null ? [] : [(original: JsonFields) => wire.addAdvice(original, advice)]),
      ...(dropTools ? [(original: JsonFields) => wire.keepTools(original, names)] : []),
    ];
    const change =
      changes.length === 0
        ? null
        : (original: JsonFields) => changes.reduce((changed, apply) => apply(changed), original);
    return { kind: 'sent', request, change, verdict, isFinish: dropTools };
  };
}

/** Formats the answer to an agent that continues after its last answer. */
function formatClosingText(reason: string): string {
  return (
    `The governor (pawl proxy) has closed this conversation: ${reason}. ` +
    'To continue, send a new message; if a budget is used up, start a new conversation.'
  );
}

/** Returns whether a request belongs to an agent: it has tools or earlier replies. */
export function isAgentRequest({ messages }: ConversationRequest, body: JsonFields): boolean {
  return (
    getOwnField(body, 'tools') !== undefined ||
    messages.some((message) => getOwnField(message, 'role') === 'assistant')
  );
}
