import {
  getObjectField,
  toJsonFields,
  getListField,
  getNumberField,
  getOwnField,
  getStringField,
  type JsonFields,
} from '../json-fields.ts';
import {
  toFieldsList,
  joinTextBlocks,
  formatSseEvent,
  type ReplyReader,
  type ObservedReply,
  type ProviderTokenUsage,
  type WireFormat,
} from './wire-format.ts';

/** The OpenAI Chat Completions API, which most other servers support as well. */
export const openaiChatWireFormat: WireFormat = {
  name: 'openai-chat',
  matchesPath: (path) => path.endsWith('/chat/completions'),
  getInstructions: () => null,
  getMessages: (body) => toFieldsList(getListField(body, 'messages')),
  getPreviousReplyId: () => null,
  getNewItems: () => [],
  addAdvice: (body, advice) => ({
    ...body,
    messages: [...getListField(body, 'messages'), { role: 'user', content: advice }],
  }),
  removeTools(body) {
    return Object.fromEntries(Object.entries(body).filter(([name]) => !toolFields.has(name)));
  },
  parseReply(body) {
    const message = getObjectField(getFirstChoice(body), 'message');
    return {
      text: joinTextBlocks(getOwnField(message, 'content')),
      calls: getCallIds(message),
      usage: parseChatUsage(body),
      reference: null,
    };
  },
  createReader: createChatReader,
};

/** All request fields about tools, current and legacy. */
const toolFields: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
]);

/** Returns the ids of a message's tool calls. */
function getCallIds(message: JsonFields): readonly string[] {
  return getListField(message, 'tool_calls').map((call) => getStringField(toJsonFields(call) ?? {}, 'id'));
}

function getFirstChoice(body: JsonFields): JsonFields {
  return toJsonFields(getListField(body, 'choices')[0]) ?? {};
}

function parseChatUsage(body: JsonFields): ProviderTokenUsage | null {
  const usage = toJsonFields(getOwnField(body, 'usage'));
  if (usage === null) return null;
  return {
    input_tokens: getNumberField(usage, 'prompt_tokens'),
    output_tokens: getNumberField(usage, 'completion_tokens'),
  };
}

function createChatReader(): ReplyReader {
  let last: JsonFields = {};
  let text = '';
  let usage: ProviderTokenUsage | null = null;
  const calls = new Map<number, string>();
  return {
    read(event) {
      last = event;
      usage = parseChatUsage(event) ?? usage;
      const delta = getObjectField(getFirstChoice(event), 'delta');
      for (const each of getListField(delta, 'tool_calls').map((call) => toJsonFields(call) ?? {})) {
        if (getStringField(each, 'id') !== '')
          calls.set(getNumberField(each, 'index'), getStringField(each, 'id'));
      }
      const added = getStringField(delta, 'content');
      text += added;
      return added;
    },
    getReply: (): ObservedReply => ({ text, calls: [...calls.values()], usage, reference: null }),
    formatEnding() {
      const { usage: _, ...rest } = last;
      const choice = { index: 0, delta: {}, finish_reason: 'length' };
      return `${formatSseEvent({ ...rest, choices: [choice] })}data: [DONE]\n\n`;
    },
  };
}
