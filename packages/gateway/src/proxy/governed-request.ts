import type { Verdict } from '@pawl/governor';
import { createMessageGovernor, type GovernOptions } from '@pawl/adapters/messages';
import { getOwnField, type JsonFields } from '../json-fields.ts';
import type { ConversationRegistry, ConversationRequest } from './conversations.ts';
import { attachUsage } from './conversation-turns.ts';
import { buildCompletionCall, createCompletionToolFilter } from './completion-tools.ts';
import type { ObservedReply, ProxyReply, WireFormat } from './wire-format.ts';

/** The decision on a request. */
export type GovernedRequest =
  | {
      readonly kind: 'sent';
      readonly request: ConversationRequest;
      /** The change to the body; null to forward it unchanged. */
      readonly change: ((body: JsonFields) => JsonFields) | null;
      readonly verdict: Verdict | null;
      readonly isFinish: boolean;
      /** Returns the reply that replaces the model's, if that does not end the work as requested; null to keep it. */
      readonly review: (reply: ObservedReply) => ProxyReplyContent | null;
    }
  | {
      readonly kind: 'over';
      readonly request: ConversationRequest;
      readonly reason: string;
      /** The reply to the agent in place of the model's. */
      readonly reply: ProxyReplyContent;
    };

type ProxyReplyContent = Pick<ProxyReply, 'text' | 'call'>;

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
    const reason = finish ?? 'its work has ended';
    const close = (answer: string): ProxyReplyContent => {
      const text = `${answer === '' ? '' : `${answer}\n\n`}${formatClosingText(reason)}`;
      return { text, call: buildCompletionCall(offered[0], text, request.messages) };
    };
    if (isOver) return { kind: 'over', request, reason, reply: close('') };
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
    const review = (reply: ObservedReply): ProxyReplyContent | null =>
      !dropTools || isLastReply(reply, names) ? null : close(reply.text.trim());
    return { kind: 'sent', request, change, verdict, isFinish: dropTools, review };
  };
}

/** Returns whether a reply ends the work: an answer, or calls of completion tools only. */
function isLastReply({ text, calls }: ObservedReply, completionTools: readonly string[]): boolean {
  if (calls.length === 0) return text.trim() !== '';
  return calls.every(({ tool }) => completionTools.includes(tool));
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
