import type { Json } from '@pawl/core';
import { fieldsIn, fieldsOf, listIn, numberIn, own, textIn, type Fields } from '../json-fields.ts';
import { contentText } from './content.ts';
import { eventText, type ReplyReader, type SeenReply, type TokenUsage, type Wire } from './wire.ts';

/** OpenAI's chat completions, which most other servers speak as well. */
export const openaiChat: Wire = {
  name: 'openai-chat',
  isAt: (path) => path.endsWith('/chat/completions'),
  instructions: () => null,
  messages: (body) => fieldsOfAll(listIn(body, 'messages')),
  goesOnFrom: () => null,
  items: () => [],
  withAdvice: (body, advice) => ({
    ...body,
    messages: [...listIn(body, 'messages'), { role: 'user', content: advice }],
  }),
  withoutTools(body) {
    return Object.fromEntries(Object.entries(body).filter(([name]) => !aboutTools.has(name)));
  },
  replyIn(body) {
    const message = fieldsIn(firstChoice(body), 'message');
    return {
      text: contentText(own(message, 'content')),
      calls: callIds(message),
      usage: chatUsage(body),
      kept: null,
    };
  },
  reader: chatReader,
};

/** All that a request says about tools, in this version and the first. */
const aboutTools: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
]);

/** A list of objects; null when it is none, or empty. */
export function fieldsOfAll(list: readonly Json[]): readonly Fields[] | null {
  const all = list.map(fieldsOf).filter((each) => each !== null);
  return all.length === 0 || all.length < list.length ? null : all;
}

/** The ids of the calls in a message. */
function callIds(message: Fields): readonly string[] {
  return listIn(message, 'tool_calls').map((call) => textIn(fieldsOf(call) ?? {}, 'id'));
}

function firstChoice(body: Fields): Fields {
  return fieldsOf(listIn(body, 'choices')[0]) ?? {};
}

function chatUsage(body: Fields): TokenUsage | null {
  const usage = fieldsOf(own(body, 'usage'));
  if (usage === null) return null;
  return {
    input_tokens: numberIn(usage, 'prompt_tokens'),
    output_tokens: numberIn(usage, 'completion_tokens'),
  };
}

function chatReader(): ReplyReader {
  let last: Fields = {};
  let text = '';
  let usage: TokenUsage | null = null;
  const calls = new Map<number, string>();
  return {
    read(event) {
      last = event;
      usage = chatUsage(event) ?? usage;
      const delta = fieldsIn(firstChoice(event), 'delta');
      for (const each of listIn(delta, 'tool_calls').map((call) => fieldsOf(call) ?? {})) {
        if (textIn(each, 'id') !== '') calls.set(numberIn(each, 'index'), textIn(each, 'id'));
      }
      const added = textIn(delta, 'content');
      text += added;
      return added;
    },
    reply: (): SeenReply => ({ text, calls: [...calls.values()], usage, kept: null }),
    ending() {
      const { usage: _, ...rest } = last;
      const choice = { index: 0, delta: {}, finish_reason: 'length' };
      return `${eventText({ ...rest, choices: [choice] })}data: [DONE]\n\n`;
    },
  };
}
