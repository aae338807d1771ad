import { createConversationJudge } from './conversation-judge.ts';
import { findRefusalReason, formatFallbackAnswer, type GovernorDecision } from './governor-decision.ts';
import { toAnthropicMessage, type MessagePart } from './message-parts.ts';
import type { GovernOptions } from './options.ts';

export type { GovernOptions } from './options.ts';

/** The fields of ADK's content that the governor reads and writes. */
export type AdkContent = { role?: string; parts?: AdkPart[] };

export type AdkPart = {
  text?: string;
  thought?: boolean;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
};

export type AdkContext = { readonly invocationId: string; readonly agentName: string };

export type AdkRequest = {
  contents: AdkContent[];
  config?: { tools?: unknown; toolConfig?: unknown };
  toolsDict: object;
};

/** The callbacks of an `LlmAgent`. */
export type AdkCallbacks = {
  readonly beforeModelCallback: (params: {
    readonly context: AdkContext;
    readonly request: AdkRequest;
  }) => undefined;
  readonly afterModelCallback: <Response extends { content?: AdkContent }>(params: {
    readonly context: AdkContext;
    readonly response: Response;
  }) => Response | undefined;
  readonly beforeToolCallback: (params: {
    readonly tool: { readonly name: string };
    readonly args: Record<string, unknown>;
    readonly context: AdkContext;
  }) => Record<string, unknown> | undefined;
};

/** Maximum number of running agents whose latest decision is stored. */
const decisionsMax = 64;

/** Governs an agent of Google's ADK: `new LlmAgent({ …, ...createAgentCallbacks() })`. */
export function createAgentCallbacks(options: GovernOptions = {}): AdkCallbacks {
  const judge = createConversationJudge<AdkContent>(options, (content) =>
    toAnthropicMessage(
      content.role === 'model' ? 'assistant' : 'user',
      (content.parts ?? []).flatMap(toParts),
    ),
  );
  const decisions = new Map<string, GovernorDecision>();
  const getDecision = (context: AdkContext): GovernorDecision | undefined =>
    decisions.get(formatKey(context));

  return {
    beforeModelCallback({ context, request }) {
      const decision = judge(request.contents);
      decisions.delete(formatKey(context));
      decisions.set(formatKey(context), decision);
      for (const oldest of decisions.keys()) if (decisions.size > decisionsMax) decisions.delete(oldest);
      if (decision.advice === null) return undefined;
      // The contents of a request are built from the session each time, so the advice is not stored.
      request.contents = [...request.contents, { role: 'user', parts: [{ text: decision.advice }] }];
      if (!decision.dropTools) return undefined;
      request.toolsDict = {};
      delete request.config?.tools;
      delete request.config?.toolConfig;
      return undefined;
    },
    afterModelCallback({ context, response }) {
      const decision = getDecision(context);
      const parts = response.content?.parts ?? [];
      if (decision?.dropTools !== true || !parts.some(({ functionCall }) => functionCall !== undefined))
        return undefined;
      const rest = parts.filter(({ functionCall }) => functionCall === undefined);
      const hasText = rest.some(({ text = '', thought }) => text !== '' && thought !== true);
      const answer = hasText ? rest : [...rest, { text: formatFallbackAnswer(decision.finish) }];
      return { ...response, content: { ...response.content, parts: answer } };
    },
    beforeToolCallback({ tool, args, context }) {
      const decision = getDecision(context);
      const reason = decision === undefined ? null : findRefusalReason(decision, { tool: tool.name, args });
      return reason === null ? undefined : { error: reason };
    },
  };
}

function formatKey({ invocationId, agentName }: AdkContext): string {
  return `${invocationId}/${agentName}`;
}

function toParts({ text, thought, functionCall, functionResponse }: AdkPart): MessagePart[] {
  if (functionCall !== undefined) {
    const { id, name = '', args } = functionCall;
    return [{ call: { id, name, args } }];
  }
  if (functionResponse !== undefined) {
    const { id, name = '', response = {} } = functionResponse;
    const output = response['error'] ?? response['result'] ?? response;
    return [{ result: { id, name, output, isError: response['error'] !== undefined } }];
  }
  return text === undefined || thought === true ? [] : [{ text }];
}
