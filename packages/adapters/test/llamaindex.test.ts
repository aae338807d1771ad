import {
  ToolCallLLM,
  type ChatMessage,
  type ChatResponse,
  type ChatResponseChunk,
  type LLMChatParamsBase,
  type LLMChatParamsNonStreaming,
  type LLMChatParamsStreaming,
  type LLMMetadata,
  type ToolCallLLMMessageOptions,
} from '@llamaindex/core/llms';
import { tool } from '@llamaindex/core/tools';
import { agent, agentStreamEvent } from '@llamaindex/workflow';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  alternateCommands,
  exampleTools,
  readSameFile,
  type AgentScript,
} from '../../../examples/adapters/scripts.ts';
import { governLlm } from '../src/llamaindex.ts';
import {
  countMatches,
  governorNotePattern,
  ignoringScript,
  insistentScript,
  productiveScript,
} from './agent-scripts.ts';

const question = 'When do we ship?';

/** A model that follows a script. */
class ScriptedLlm extends ToolCallLLM {
  readonly requests: { readonly messages: readonly ChatMessage[]; readonly tools: number }[] = [];
  readonly #script: AgentScript;

  constructor(script: AgentScript) {
    super();
    this.#script = script;
  }

  readonly supportToolCall = true;
  readonly metadata: LLMMetadata = {
    model: 'scripted',
    temperature: 0,
    topP: 1,
    contextWindow: 1_000_000,
    tokenizer: undefined,
    structuredOutput: false,
  };

  override chat(
    params: LLMChatParamsStreaming<object, ToolCallLLMMessageOptions>,
  ): Promise<AsyncIterable<ChatResponseChunk<ToolCallLLMMessageOptions>>>;
  override chat(
    params: LLMChatParamsNonStreaming<object, ToolCallLLMMessageOptions>,
  ): Promise<ChatResponse<ToolCallLLMMessageOptions>>;
  override async chat(
    params: LLMChatParamsBase & { readonly stream?: boolean },
  ): Promise<
    AsyncIterable<ChatResponseChunk<ToolCallLLMMessageOptions>> | ChatResponse<ToolCallLLMMessageOptions>
  > {
    const tools = params.tools?.length ?? 0;
    this.requests.push(structuredClone({ messages: params.messages, tools }));
    const move = this.#script(this.requests.length - 1, tools > 0);
    const text = 'text' in move ? move.text : '';
    const toolCall =
      'text' in move
        ? []
        : move.calls.map(({ tool: name, args }, index) => ({
            id: `${this.requests.length}.${index}`,
            name,
            input: args,
          }));
    const options = toolCall.length === 0 ? {} : { toolCall };
    if (params.stream !== true) return { raw: null, message: { role: 'assistant', content: text, options } };
    return (async function* () {
      yield { raw: null, delta: text, options };
    })();
  }
}

const tools = [
  tool({
    name: 'read',
    description: 'Reads a file',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => (path.startsWith('file-') ? `content of ${path}` : exampleTools.read(path)),
  }),
  tool({
    name: 'run',
    description: 'Runs a command',
    parameters: z.object({ command: z.string() }),
    execute: ({ command }) => exampleTools.run(command),
  }),
];

async function runAgent(script: AgentScript, isGoverned = true) {
  const llm = new ScriptedLlm(script);
  const assistant = agent({ llm: isGoverned ? governLlm(llm) : llm, tools, timeout: 60 });
  let streamed = '';
  for await (const event of assistant.runStream(question))
    if (agentStreamEvent.include(event)) streamed += event.data.delta;
  return { requests: llm.requests, text: streamed };
}

/** LlamaIndex.TS has no step limit, so the model ends the run. */
const readTwentyTimes: AgentScript = (asked) => readSameFile(asked, asked < 19);

const readTwelveFiles: AgentScript = (asked, hasTools) =>
  asked < 12 ? productiveScript(asked, hasTools) : { text: 'All read.' };

describe('LlamaIndex.TS', () => {
  it('loops without the governor', async () => {
    const { requests } = await runAgent(readTwentyTimes, false);
    expect(requests.length).toBe(20);
  });

  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 8],
    ['a failing call', insistentScript, 8],
  ])('ends %s with an answer', async (_, script, limit) => {
    const { requests, text } = await runAgent(script);
    expect(requests.length).toBeLessThanOrEqual(limit);
    expect(script(requests.length - 1, false)).toEqual({ text });
  });

  it('adds advice to one request only', async () => {
    const { requests } = await runAgent(readSameFile);
    const sent = requests.map(({ messages }) => JSON.stringify(messages));
    expect(sent.map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 1, 1]);
  });

  it('supplies the final answer for a model that calls tools it was not offered', async () => {
    const { requests, text } = await runAgent(ignoringScript);
    expect(requests.length).toBe(5);
    expect(text).toMatch(/^The work was stopped: read was called 4 times/);
  });

  it('does not change twelve productive steps', async () => {
    const governed = await runAgent(readTwelveFiles);
    expect(governed.text).toBe('All read.');
    expect(governed.requests).toEqual((await runAgent(readTwelveFiles, false)).requests);
  });

  it('governs a model that is called directly', async () => {
    const llm = governLlm(new ScriptedLlm(ignoringScript));
    const messages: ChatMessage<ToolCallLLMMessageOptions>[] = [{ role: 'user', content: question }];
    for (let step = 0; step < 4; step += 1) {
      const { message } = await llm.chat({ messages, tools });
      const id = `${step + 1}.0`;
      const toolResult = { id, result: 'Ship on Friday.', isError: false };
      messages.push(message, { role: 'user', content: toolResult.result, options: { toolResult } });
    }
    const { message } = await llm.chat({ messages, tools });
    expect(message.content).toMatch(/^The work was stopped/);
    expect(llm.metadata.model).toBe('scripted');
  });

  it('ends the loop of a sub-agent but not its parent', async () => {
    const child = new ScriptedLlm(readSameFile);
    const parent = new ScriptedLlm((asked) =>
      asked === 0
        ? { calls: [{ tool: 'ask' as 'read', args: { path: 'notes.md' } }] }
        : { text: 'The sub-agent says Friday.' },
    );
    const reader = agent({ name: 'reader', llm: governLlm(child), tools, timeout: 60 });
    const ask = tool({
      name: 'ask',
      description: 'Asks the reader',
      parameters: z.object({ path: z.string() }),
      execute: async () => JSON.stringify((await reader.run(question)).data.result),
    });
    const assistant = agent({ name: 'assistant', llm: governLlm(parent), tools: [ask], timeout: 60 });
    const { data } = await assistant.run(question);
    expect([child.requests.length, parent.requests.length]).toEqual([5, 2]);
    expect(JSON.stringify(parent.requests.at(-1)?.messages)).toContain('It says: ship on Friday.');
    expect(data.result).toBe('The sub-agent says Friday.');
  });
});
