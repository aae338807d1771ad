/** A call with what came of it. */
export type Done = {
  readonly tool: string;
  readonly args: object;
  readonly said: string;
  readonly failed?: boolean;
};

/** Something that happens in a conversation: what a person says, what the model says, or its calls with their results. */
export type Happened =
  | { readonly user: string }
  | { readonly text: string }
  | { readonly calls: readonly Done[] };

export const read = (path: string, said: string): Done => ({ tool: 'read', args: { path }, said });
export const fail = (command: string, said = 'no such command'): Done => ({
  tool: 'run',
  args: { command },
  said,
  failed: true,
});

export const times = (count: number, each: (index: number) => Happened): readonly Happened[] =>
  Array.from({ length: count }, (_, index) => each(index));

export const begin: Happened = { user: 'Find out when we ship.' };

/** The same happening as one host and another write it down. */
export const formats = { openai, anthropic, responses, aiSdk, langchain };

export function openai(history: readonly Happened[]): readonly object[] {
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
      ...each.calls.map(({ said, failed = false }, index) => ({
        role: 'tool',
        tool_call_id: `${round}.${index}`,
        content: failed ? `Error: ${said}` : said,
      })),
    ];
  });
}

export function anthropic(history: readonly Happened[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: each.user }];
    if ('text' in each) return [{ role: 'assistant', content: [{ type: 'text', text: each.text }] }];
    const calls = each.calls.map(({ tool, args }, index) => ({
      type: 'tool_use',
      id: `${round}.${index}`,
      name: tool,
      input: args,
    }));
    const results = each.calls.map(({ said, failed = false }, index) => ({
      type: 'tool_result',
      tool_use_id: `${round}.${index}`,
      is_error: failed,
      content: said,
    }));
    return [
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
    ];
  });
}

function responses(history: readonly Happened[]): readonly object[] {
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
      ...each.calls.map(({ said, failed = false }, index) => ({
        type: 'function_call_output',
        call_id: `${round}.${index}`,
        output: failed ? `Error: ${said}` : said,
      })),
    ];
  });
}

function aiSdk(history: readonly Happened[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ role: 'user', content: [{ type: 'text', text: each.user }] }];
    if ('text' in each) return [{ role: 'assistant', content: [{ type: 'text', text: each.text }] }];
    const calls = each.calls.map(({ tool, args }, index) => ({
      type: 'tool-call',
      toolCallId: `${round}.${index}`,
      toolName: tool,
      input: args,
    }));
    const results = each.calls.map(({ tool, said, failed = false }, index) => ({
      type: 'tool-result',
      toolCallId: `${round}.${index}`,
      toolName: tool,
      output: { type: failed ? 'error-text' : 'text', value: said },
    }));
    return [
      { role: 'assistant', content: calls },
      { role: 'tool', content: results },
    ];
  });
}

function langchain(history: readonly Happened[]): readonly object[] {
  return history.flatMap((each, round): readonly object[] => {
    if ('user' in each) return [{ type: 'human', data: { content: each.user } }];
    if ('text' in each) return [{ type: 'ai', data: { content: each.text, tool_calls: [] } }];
    const calls = each.calls.map(({ tool, args }, index) => ({ id: `${round}.${index}`, name: tool, args }));
    return [
      { type: 'ai', data: { content: '', tool_calls: calls } },
      ...each.calls.map(({ tool, said, failed = false }, index) => ({
        type: 'tool',
        data: {
          content: said,
          name: tool,
          tool_call_id: `${round}.${index}`,
          status: failed ? 'error' : 'success',
        },
      })),
    ];
  });
}
