import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

export const secretApiKey = 'sk-secret-of-the-user';

/** Returns the content of a file; the files of a productive run differ. */
function readFakeFile(args: string): string {
  const name = /(\d+)\.txt/.exec(args)?.[1];
  return name === undefined ? 'the same as ever' : `chapter ${'and so on '.repeat(Number(name))}`;
}

/** A typical agent loop: request, run the requested calls, repeat. Resolves to its number of steps and its final text. */
export type ClientLoop = (
  address: string,
  stream: boolean,
) => Promise<{ readonly steps: number; readonly text: string }>;

export const maxClientSteps = 230;

const runChatLoop: ClientLoop = async (address, stream) => {
  const client = new OpenAI({ apiKey: secretApiKey, baseURL: `${address}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'You read files.' },
    { role: 'user', content: 'What is in a.txt?' },
  ];
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
  ];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', messages, tools, stream_options: { include_usage: true } };
    const { choices } = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create({ model: 'tiny', messages, tools });
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (message === undefined || calls.length === 0) return { steps, text: message?.content ?? '' };
    messages.push({ role: 'assistant', content: message.content, tool_calls: calls });
    for (const call of calls) {
      const args = call.type === 'function' ? call.function.arguments : '';
      messages.push({ role: 'tool', tool_call_id: call.id, content: readFakeFile(args) });
    }
  }
  return { steps: maxClientSteps, text: '' };
};

const runMessagesLoop: ClientLoop = async (address, stream) => {
  const client = new Anthropic({ apiKey: secretApiKey, baseURL: address, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is in a.txt?' }];
  const tools: Anthropic.Tool[] = [{ name: 'read', input_schema: { type: 'object' } }];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', max_tokens: 100, system: 'You read files.', messages, tools };
    const reply = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    const texts = reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (calls.length === 0) return { steps, text: texts.join('') };
    messages.push({ role: 'assistant', content: reply.content });
    const content = calls.map(({ id, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: readFakeFile(JSON.stringify(input)),
    }));
    messages.push({ role: 'user', content });
  }
  return { steps: maxClientSteps, text: '' };
};

const responsesTools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false },
];

function filterFunctionCalls(
  output: readonly OpenAI.Responses.ResponseOutputItem[],
): readonly OpenAI.Responses.ResponseFunctionToolCall[] {
  return output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
}

const runResponsesLoop: ClientLoop = async (address, stream) => {
  const client = new OpenAI({ apiKey: secretApiKey, baseURL: `${address}/v1`, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', instructions: 'You read files.', input, tools: responsesTools };
    const reply = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    const calls = filterFunctionCalls(reply.output);
    if (calls.length === 0) return { steps, text: reply.output_text };
    input.push(...reply.output.map((item) => item as OpenAI.Responses.ResponseInputItem));
    for (const call of calls) {
      input.push({
        type: 'function_call_output',
        call_id: call.call_id,
        output: readFakeFile(call.arguments),
      });
    }
  }
  return { steps: maxClientSteps, text: '' };
};

/** The same, with the history held by the server. */
const runChainedLoop: ClientLoop = async (address) => {
  const client = new OpenAI({ apiKey: secretApiKey, baseURL: `${address}/v1`, maxRetries: 0 });
  let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is in a.txt?' }];
  let previous: string | null = null;
  for (let steps = 1; steps <= maxClientSteps; steps += 1) {
    const request = { model: 'tiny', input, previous_response_id: previous, tools: responsesTools };
    const reply: OpenAI.Responses.Response = await client.responses.create(request);
    const calls = filterFunctionCalls(reply.output);
    if (calls.length === 0) return { steps, text: reply.output_text };
    previous = reply.id;
    input = calls.map(({ call_id, arguments: args }) => ({
      type: 'function_call_output' as const,
      call_id,
      output: readFakeFile(args),
    }));
  }
  return { steps: maxClientSteps, text: '' };
};

type GeminiPart = {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly name: string; readonly args: object };
};
type GeminiChunk = {
  readonly candidates: readonly { readonly content: { readonly parts: readonly GeminiPart[] } }[];
};

/** Requests a reply of Gemini; resolves to its parts. */
async function generateContent(address: string, stream: GeminiStream, body: object): Promise<GeminiPart[]> {
  const method = stream === 'none' ? 'generateContent' : 'streamGenerateContent';
  const query = stream === 'sse' ? '?alt=sse' : '';
  const response = await fetch(`${address}/v1beta/models/tiny:${method}${query}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-goog-api-key': secretApiKey },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.startsWith('data: '));
  const chunks = (
    stream === 'sse'
      ? events.map((event) => JSON.parse(event.slice('data: '.length)) as unknown)
      : JSON.parse(text)
  ) as GeminiChunk | readonly GeminiChunk[];
  return [chunks].flat().flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
}

/** How replies are streamed. */
type GeminiStream = 'none' | 'sse' | 'array';

/** Gemini's calls have no ids, and its thoughts and signatures are sent back. */
const createGeminiLoop =
  (arrays: boolean): ClientLoop =>
  async (address, stream) => {
    const contents: object[] = [{ role: 'user', parts: [{ text: 'What is in a.txt?' }] }];
    const systemInstruction = { parts: [{ text: 'You read files.' }] };
    const tools = [{ functionDeclarations: [{ name: 'read', parameters: { type: 'OBJECT' } }] }];
    for (let steps = 1; steps <= maxClientSteps; steps += 1) {
      const how = stream ? (arrays ? 'array' : 'sse') : 'none';
      const parts = await generateContent(address, how, { contents, systemInstruction, tools });
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
      const texts = parts.filter(({ thought }) => thought !== true).map(({ text = '' }) => text);
      if (calls.length === 0) return { steps, text: texts.join('') };
      contents.push({ role: 'model', parts });
      const results = calls.map(({ name, args }) => ({
        functionResponse: { name, response: { output: readFakeFile(JSON.stringify(args)) } },
      }));
      contents.push({ role: 'user', parts: results });
    }
    return { steps: maxClientSteps, text: '' };
  };

/** The client libraries under test. */
export const clientLoops: readonly (readonly [string, ClientLoop, boolean])[] = [
  ['chat completions', runChatLoop, false],
  ['chat completions, streamed', runChatLoop, true],
  ['Anthropic messages', runMessagesLoop, false],
  ['Anthropic messages, streamed', runMessagesLoop, true],
  ['responses', runResponsesLoop, false],
  ['responses, streamed', runResponsesLoop, true],
  ['Gemini', createGeminiLoop(false), false],
  ['Gemini, streamed', createGeminiLoop(false), true],
  ['Gemini, streamed as an array', createGeminiLoop(true), true],
  ['responses by previous id', runChainedLoop, false],
];
