import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { startProxy, type Started } from './started.ts';
import { startUpstream, type Arrived, type Said, type Upstream } from './upstream.ts';

let upstream: Upstream;
let proxy: Started;

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

const key = 'sk-secret-of-the-user';

/** A model that asks for the same file for as long as there is anything to ask for. */
function stubborn({ body }: Arrived): Said {
  const choice = body['tool_choice'];
  const mayCall = body['tools'] !== undefined && (choice as { type?: string } | undefined)?.type !== 'none';
  return mayCall
    ? { call: { tool: 'read', args: { path: 'a.txt' } } }
    : { text: 'In short: a.txt holds nothing new.' };
}

/** A model that reads one file after another, and then says so. */
function productive(_request: Arrived, number: number): Said {
  const files = 200;
  return number <= files
    ? { call: { tool: 'read', args: { path: `${number}.txt` } } }
    : { text: 'All of them are read.' };
}

/** What a file holds; those of a productive run differ. */
function contentOf(args: string): string {
  const name = /(\d+)\.txt/.exec(args)?.[1];
  return name === undefined ? 'the same as ever' : `chapter ${'and so on '.repeat(Number(name))}`;
}

/** Agents as people write them: ask, run what is asked for, ask again. Each gives its steps and its last words. */
type Loop = (address: string, stream: boolean) => Promise<{ readonly steps: number; readonly text: string }>;

const stepsMax = 230;

const chatLoop: Loop = async (address, stream) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${address}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'You read files.' },
    { role: 'user', content: 'What is in a.txt?' },
  ];
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
  ];
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const asked = { model: 'tiny', messages, tools, stream_options: { include_usage: true } };
    const { choices } = stream
      ? await client.chat.completions.stream(asked).finalChatCompletion()
      : await client.chat.completions.create({ model: 'tiny', messages, tools });
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (message === undefined || calls.length === 0) return { steps, text: message?.content ?? '' };
    messages.push({ role: 'assistant', content: message.content, tool_calls: calls });
    for (const call of calls) {
      const args = call.type === 'function' ? call.function.arguments : '';
      messages.push({ role: 'tool', tool_call_id: call.id, content: contentOf(args) });
    }
  }
  return { steps: stepsMax, text: '' };
};

const messagesLoop: Loop = async (address, stream) => {
  const client = new Anthropic({ apiKey: key, baseURL: address, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
  const tools: Anthropic.Tool[] = [{ name: 'read', input_schema: { type: 'object' } }];
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const asked = { model: 'tiny', max_tokens: 100, system: 'You read files.', messages, tools };
    const reply = stream
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    const said = reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (calls.length === 0) return { steps, text: said.join('') };
    messages.push({ role: 'assistant', content: reply.content });
    const content = calls.map(({ id, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: contentOf(JSON.stringify(input)),
    }));
    messages.push({ role: 'user', content });
  }
  return { steps: stepsMax, text: '' };
};

const responsesTools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false },
];

function functionCalls(
  output: readonly OpenAI.Responses.ResponseOutputItem[],
): readonly OpenAI.Responses.ResponseFunctionToolCall[] {
  return output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
}

const responsesLoop: Loop = async (address, stream) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${address}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const asked = { model: 'tiny', instructions: 'You read files.', input, tools: responsesTools };
    const reply = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    const calls = functionCalls(reply.output);
    if (calls.length === 0) return { steps, text: reply.output_text };
    input.push(...reply.output.map((item) => item as OpenAI.Responses.ResponseInputItem));
    for (const call of calls) {
      input.push({ type: 'function_call_output', call_id: call.call_id, output: contentOf(call.arguments) });
    }
  }
  return { steps: stepsMax, text: '' };
};

/** The same with what came before left to the server. */
const chainedLoop: Loop = async (address) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${address}/v1`, maxRetries: 0 });
  let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
  let previous: string | null = null;
  for (let steps = 1; steps <= stepsMax; steps += 1) {
    const asked = { model: 'tiny', input, previous_response_id: previous, tools: responsesTools };
    const reply: OpenAI.Responses.Response = await client.responses.create(asked);
    const calls = functionCalls(reply.output);
    if (calls.length === 0) return { steps, text: reply.output_text };
    previous = reply.id;
    input = calls.map(({ call_id, arguments: args }) => ({
      type: 'function_call_output' as const,
      call_id,
      output: contentOf(args),
    }));
  }
  return { steps: stepsMax, text: '' };
};

const loops: readonly (readonly [string, Loop, boolean])[] = [
  ['chat completions', chatLoop, false],
  ['chat completions, streamed', chatLoop, true],
  ['Anthropic messages', messagesLoop, false],
  ['Anthropic messages, streamed', messagesLoop, true],
  ['responses', responsesLoop, false],
  ['responses, streamed', responsesLoop, true],
  ['responses that go on from their ids', chainedLoop, false],
];

describe.each(loops)('an agent that speaks %s', (_name, loop, stream) => {
  it('loops without the proxy, and ends with a summary behind it', async () => {
    upstream = await startUpstream(stubborn);
    proxy = await startProxy(upstream.url);
    expect(await loop(upstream.url, stream)).toEqual({ steps: stepsMax, text: '' });
    const before = upstream.arrived.length;
    const { steps, text } = await loop(proxy.url, stream);
    expect(text).toBe('In short: a.txt holds nothing new.');
    expect(steps).toBe(5);
    const governed = upstream.arrived.slice(before);
    // One word of advice in the fourth request, and in the fifth the last one; nothing of the fourth is left in it.
    const notes = governed.map(({ raw }) => raw.split('Note from the run’s governor').length - 1);
    expect(notes).toEqual([0, 0, 0, 1, 1]);
    expect(governed.every(({ headers }) => JSON.stringify(headers).includes(key))).toBe(true);
    expect(proxy.notes.join('\n')).not.toContain(key);
  });

  it('works for 200 steps that bring something new, untouched', async () => {
    upstream = await startUpstream(productive);
    proxy = await startProxy(upstream.url);
    expect(await loop(proxy.url, stream)).toEqual({ steps: 201, text: 'All of them are read.' });
    expect(upstream.arrived.some(({ raw }) => raw.includes('Note from'))).toBe(false);
    expect(proxy.notes).toEqual([]);
  });
});
