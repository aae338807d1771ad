import { createHash } from 'node:crypto';
import type { Json } from '@pawl/governor';
import {
  getListField,
  getNumberField,
  getObjectField,
  getOwnField,
  getStringField,
  toJsonFields,
  type JsonFields,
} from '../json-fields.ts';
import {
  formatJsonReply,
  formatSseEvent,
  type FormattedReply,
  type ObservedReply,
  type ProviderTokenUsage,
  type ProxyReply,
  type ReplyReader,
  type RequestTool,
  type StreamFraming,
  type WireFormat,
} from './wire-format.ts';

/** The Gemini API, of Google AI and of Vertex AI. */
export const geminiWireFormat: WireFormat = {
  name: 'gemini',
  matchesPath: (path) => targetPattern.test(path),
  isStreamed: (_body, url) => getPath(url).endsWith(':streamGenerateContent'),
  getModel: (_body, url) => decodeModel(targetPattern.exec(getPath(url))?.[1] ?? ''),
  getInstructions: (body) => getCamelField(body, 'systemInstruction') ?? null,
  getMessages(body) {
    const contents = getListField(body, 'contents').map(toJsonFields);
    const known = contents.filter((content) => content !== null);
    return known.length === 0 || known.length < contents.length ? null : toBlockMessages(known);
  },
  getTools: (body) => getFunctions(body).map(toRequestTool),
  getPreviousReplyId: () => null,
  getNewItems: () => [],
  addUnsentItems: (body) => body,
  addAdvice(body, advice) {
    const contents = getListField(body, 'contents');
    const last = toJsonFields(contents.at(-1)) ?? {};
    const part = { text: advice };
    if (getStringField(last, 'role') === 'model')
      return { ...body, contents: [...contents, { role: 'user', parts: [part] }] };
    const parts = [...getListField(last, 'parts'), part];
    return { ...body, contents: [...contents.slice(0, -1), { ...last, parts }] };
  },
  keepTools: keepGeminiTools,
  parseReply: (body) => toObservedReply(getReplyParts(body), parseGeminiUsage(body)),
  createReader: createGeminiReader,
  streamsJsonArrays: true,
  formatReply: formatGeminiReply,
  formatError: (code, message) => ({
    error: { code, message, status: errorStatuses[code] ?? 'INTERNAL' },
  }),
};

/** Matches the model and the method of a path of Google AI or Vertex AI. */
const targetPattern =
  /\/(?:models|tunedModels|endpoints)\/([^/]+):(?:generateContent|streamGenerateContent)$/;

const errorStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  415: 'INVALID_ARGUMENT',
  502: 'UNAVAILABLE',
};

function getPath(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function decodeModel(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads a field by its camel-case or its snake-case name, because the API accepts both. */
function getCamelField(fields: JsonFields, name: string): Json | undefined {
  return getOwnField(fields, name) ?? getOwnField(fields, toSnakeCase(name));
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function getCamelObject(fields: JsonFields, name: string): JsonFields | null {
  return toJsonFields(getCamelField(fields, name));
}

function getParts(content: JsonFields): readonly JsonFields[] {
  return getListField(content, 'parts').map((part) => toJsonFields(part) ?? {});
}

function getFunctions(body: JsonFields): readonly JsonFields[] {
  return getListField(body, 'tools').flatMap((tool) => {
    const declared = getCamelField(toJsonFields(tool) ?? {}, 'functionDeclarations');
    return Array.isArray(declared) ? declared.map((each: Json) => toJsonFields(each) ?? {}) : [];
  });
}

function toRequestTool(declaration: JsonFields): RequestTool {
  const parameters =
    getCamelObject(declaration, 'parametersJsonSchema') ?? getObjectField(declaration, 'parameters');
  return { name: getStringField(declaration, 'name'), parameters };
}

/**
 * Converts contents to messages with Anthropic's blocks. Consecutive contents of the model are one reply, because some
 * clients keep each chunk of a stream as one content.
 */
function toBlockMessages(contents: readonly JsonFields[]): readonly JsonFields[] {
  const messages: JsonFields[] = [];
  let reply: JsonFields[] = [];
  let openCalls: IdentifiedCall[] = [];
  const endReply = (): void => {
    if (reply.length === 0) return;
    openCalls = identifyCalls(reply);
    messages.push({ role: 'assistant', content: toReplyBlocks(reply, openCalls) });
    reply = [];
  };
  for (const content of contents) {
    if (getStringField(content, 'role') === 'model') {
      reply.push(...getParts(content));
      continue;
    }
    endReply();
    messages.push({ role: 'user', content: getParts(content).map((part) => toUserBlock(part, openCalls)) });
  }
  endReply();
  return messages;
}

/** A call of a reply. The id is the same in the reply and in later requests, although clients invent ids. */
type IdentifiedCall = {
  readonly id: string;
  /** The id in the request; empty in older versions of the API. */
  readonly clientId: string;
  readonly name: string;
  readonly args: Json;
};

function identifyCalls(parts: readonly JsonFields[]): IdentifiedCall[] {
  const counts = new Map<string, number>();
  return parts.flatMap((part) => {
    const call = getCamelObject(part, 'functionCall');
    if (call === null) return [];
    const name = getStringField(call, 'name');
    const args = getOwnField(call, 'args') ?? {};
    const key = `${name}_${createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 12)}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return [{ id: `${key}_${count}`, clientId: getStringField(call, 'id'), name, args }];
  });
}

function toReplyBlocks(
  parts: readonly JsonFields[],
  calls: readonly IdentifiedCall[],
): readonly JsonFields[] {
  const text = joinTextParts(parts);
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ];
}

/** Joins the text of parts, without thoughts. */
function joinTextParts(parts: readonly JsonFields[]): string {
  return parts
    .filter((part) => getOwnField(part, 'thought') !== true)
    .map((part) => getStringField(part, 'text'))
    .join('');
}

/** Converts a part of a user content. Removes the call that a result belongs to from the open ones. */
function toUserBlock(part: JsonFields, openCalls: IdentifiedCall[]): JsonFields {
  const response = getCamelObject(part, 'functionResponse');
  if (response === null) {
    const text = getStringField(part, 'text');
    return text === '' ? part : { type: 'text', text };
  }
  const clientId = getStringField(response, 'id');
  const name = getStringField(response, 'name');
  const byId = clientId === '' ? -1 : openCalls.findIndex((call) => call.clientId === clientId);
  const index = byId === -1 ? openCalls.findIndex((call) => call.name === name) : byId;
  const [call] = index === -1 ? [] : openCalls.splice(index, 1);
  return {
    type: 'tool_result',
    tool_use_id: call?.id ?? clientId,
    ...parseFunctionOutput(getObjectField(response, 'response')),
  };
}

/** The fields in which clients send a result. */
const outputFields: readonly string[] = ['output', 'result', 'content'];

function parseFunctionOutput(response: JsonFields): JsonFields {
  const error = getOwnField(response, 'error');
  const output = outputFields.map((name) => getOwnField(response, name)).find((each) => each !== undefined);
  const isError = output === undefined && error !== undefined && error !== null;
  const value = isError ? (getOwnField(toJsonFields(error) ?? {}, 'message') ?? error) : (output ?? response);
  return {
    content: typeof value === 'string' ? value : JSON.stringify(value),
    ...(isError && { is_error: true }),
  };
}

/** Forbids calls, or keeps only some functions. A cached prefix has its own tools, which a request cannot change. */
function keepGeminiTools(body: JsonFields, names: readonly string[]): JsonFields {
  if (getFunctions(body).length === 0 || getCamelField(body, 'cachedContent') !== undefined) return body;
  const { toolConfig: _, tool_config: __, ...rest } = body;
  const config = getCamelObject(body, 'toolConfig') ?? {};
  const { functionCallingConfig: ___, function_calling_config: ____, ...otherConfig } = config;
  if (names.length === 0)
    return { ...rest, toolConfig: { ...otherConfig, functionCallingConfig: { mode: 'NONE' } } };
  const functionDeclarations = getFunctions(body).filter((each) =>
    names.includes(getStringField(each, 'name')),
  );
  return {
    ...rest,
    tools: [{ functionDeclarations }],
    ...(Object.keys(otherConfig).length > 0 && { toolConfig: otherConfig }),
  };
}

function getFirstCandidate(body: JsonFields): JsonFields {
  return toJsonFields(getListField(body, 'candidates')[0]) ?? {};
}

function getReplyParts(body: JsonFields): readonly JsonFields[] {
  return getParts(getObjectField(getFirstCandidate(body), 'content'));
}

function toObservedReply(parts: readonly JsonFields[], usage: ProviderTokenUsage | null): ObservedReply {
  return {
    text: joinTextParts(parts),
    calls: identifyCalls(parts).map(({ id, name }) => ({ id, tool: name })),
    usage,
    reference: null,
  };
}

/** Prompt tokens include cached ones; candidate tokens do not include thoughts. */
function parseGeminiUsage(body: JsonFields): ProviderTokenUsage | null {
  const usage = toJsonFields(getOwnField(body, 'usageMetadata'));
  if (usage === null) return null;
  const sumFields = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + getNumberField(usage, name), 0);
  return {
    input_tokens: sumFields('promptTokenCount', 'toolUsePromptTokenCount'),
    output_tokens: sumFields('candidatesTokenCount', 'thoughtsTokenCount'),
  };
}

function createGeminiReader(): ReplyReader {
  let last: JsonFields = {};
  let usage: ProviderTokenUsage | null = null;
  const parts: JsonFields[] = [];
  return {
    read(event) {
      last = event;
      usage = parseGeminiUsage(event) ?? usage;
      const added = getReplyParts(event);
      parts.push(...added);
      return joinTextParts(added);
    },
    getReply: () => toObservedReply(parts, usage),
    formatEnding(framing) {
      const content = { role: 'model', parts: [{ text: '' }] };
      const candidates = [{ content, finishReason: 'MAX_TOKENS', index: 0 }];
      return formatLastChunk({ ...last, candidates }, framing);
    },
  };
}

function formatLastChunk(chunk: JsonFields, framing: StreamFraming): string {
  return framing === 'json-array' ? `,\n${JSON.stringify(chunk)}\n]` : formatSseEvent(chunk);
}

/** Accepted by the API in place of the signature of a call that the model has not made. */
const placeholderSignature = 'skip_thought_signature_validator';

function formatGeminiReply(
  { id, model, text, call }: ProxyReply,
  body: JsonFields,
  url: string,
): FormattedReply {
  const called = call && {
    functionCall: { name: call.tool, args: call.args },
    thoughtSignature: placeholderSignature,
  };
  const parts = [{ text }, ...(called === null ? [] : [called])];
  const reply = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: model,
    responseId: id,
  };
  if (!geminiWireFormat.isStreamed(body, url)) return formatJsonReply(reply);
  if (!/[?&]alt=sse(?:&|$)/.test(url)) return formatJsonReply([reply]);
  return { contentType: 'text/event-stream', body: formatSseEvent(reply), reference: null };
}
