/** A call with its result. */
export type CallWithResult = {
  readonly tool: string;
  readonly args: object;
  readonly result: string;
  readonly failed?: boolean;
};

/** One entry of a conversation: a user message, a model text, or tool calls with their results. */
export type HistoryItem =
  | { readonly user: string }
  | { readonly text: string }
  | { readonly calls: readonly CallWithResult[] };

export const createReadCall = (path: string, result: string): CallWithResult => ({
  tool: 'read',
  args: { path },
  result,
});
export const createFailedCall = (command: string, result = 'no such command'): CallWithResult => ({
  tool: 'run',
  args: { command },
  result,
  failed: true,
});

export const repeatItems = (count: number, each: (index: number) => HistoryItem): readonly HistoryItem[] =>
  Array.from({ length: count }, (_, index) => each(index));

export const firstUserItem: HistoryItem = { user: 'Find out when we ship.' };

/** Each function writes the same entries in the message format of one host. */
export const historyFormats = {
  openai: toOpenAiHistory,
  anthropic: toAnthropicHistory,
  responses: toResponsesHistory,
  aiSdk: toAiSdkHistory,
  langchain: toLangChainHistory,
};

export function toOpenAiHistory(history: readonly HistoryItem[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: each.user }];
    if ('text' in each) return [{ role: 'assistant', content: each.text }];
    return [
      {
        role: 'assistant',
        content: null,
        tool_calls: each.calls.map(({ tool, args }, index) => ({
          id: `${round}.${index}`,
          type: 'function',
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      },
      ...each.calls.map(({ result, failed = false }, index) => ({
        role: 'tool',
        tool_call_id: `${round}.${index}`,
        content: failed ? `Error: ${result}` : result,
      })),
    ];
  });
}

export function toAnthropicHistory(history: readonly HistoryItem[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: each.user }];
    if ('text' in each) return [{ role: 'assistant', content: [{ type: 'text', text: each.text }] }];
    const calls = each.calls.map(({ tool, args }, index) => ({
      type: 'tool_use',
      id: `${round}.${index}`,
      name: tool,
      input: args,
    }));
    const results = each.calls.map(({ result, failed = false }, index) => ({
      type: 'tool_result',
      tool_use_id: `${round}.${index}`,
      is_error: failed,
      content: result,
    }));
    return [
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
    ];
  });
}

function toResponsesHistory(history: readonly HistoryItem[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: each.user }];
    if ('text' in each) {
      return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: each.text }] }];
    }
    return [
      { type: 'reasoning', summary: [] },
      ...each.calls.map(({ tool, args }, index) => ({
        type: 'function_call',
        call_id: `${round}.${index}`,
        name: tool,
        arguments: JSON.stringify(args),
      })),
      ...each.calls.map(({ result, failed = false }, index) => ({
        type: 'function_call_output',
        call_id: `${round}.${index}`,
        output: failed ? `Error: ${result}` : result,
      })),
    ];
  });
}

function toAiSdkHistory(history: readonly HistoryItem[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: [{ type: 'text', text: each.user }] }];
    if ('text' in each) return [{ role: 'assistant', content: [{ type: 'text', text: each.text }] }];
    const calls = each.calls.map(({ tool, args }, index) => ({
      type: 'tool-call',
      toolCallId: `${round}.${index}`,
      toolName: tool,
      input: args,
    }));
    const results = each.calls.map(({ tool, result, failed = false }, index) => ({
      type: 'tool-result',
      toolCallId: `${round}.${index}`,
      toolName: tool,
      output: { type: failed ? 'error-text' : 'text', value: result },
    }));
    return [
      { role: 'assistant', content: calls },
      { role: 'tool', content: results },
    ];
  });
}

function toLangChainHistory(history: readonly HistoryItem[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ type: 'human', data: { content: each.user } }];
    if ('text' in each) return [{ type: 'ai', data: { content: each.text, tool_calls: [] } }];
    const calls = each.calls.map(({ tool, args }, index) => ({ id: `${round}.${index}`, name: tool, args }));
    return [
      { type: 'ai', data: { content: '', tool_calls: calls } },
      ...each.calls.map(({ tool, result, failed = false }, index) => ({
        type: 'tool',
        data: {
          content: result,
          name: tool,
          tool_call_id: `${round}.${index}`,
          status: failed ? 'error' : 'success',
        },
      })),
    ];
  });
}
