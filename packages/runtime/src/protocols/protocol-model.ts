import type { ReplyChunk, Model, ModelRequest } from '../models/model.ts';
import {
  appendItem,
  emptyConversation,
  iterateItems,
  type ConversationMessage,
  type ToolMessage,
  type ConversationHistory,
} from '@pawl/core';
import {
  explainProblems,
  type ProtocolCodec,
  type ProtocolLogName,
  type ProtocolContext,
  type ModelDecision,
} from './decision.ts';

/** What a profile allows in a reply, independent of the current tools and states. */
export type ProtocolOptions = {
  readonly logs: readonly ProtocolLogName[];
  /** Maximum number of calls per reply. */
  readonly callsMax: number;
  /** Whether the model accepts calls and results as native messages, although it replies in text. */
  readonly readsCalls?: boolean;
};

/**
 * Wraps a model in a protocol: adds the reply instructions and decodes the replies. In a text protocol, earlier calls
 * and results appear in the conversation as text. A request without tools, for a final answer, needs no protocol.
 */
export function createProtocolModel(codec: ProtocolCodec, model: Model, options: ProtocolOptions): Model {
  const isNative = codec.name.startsWith('native');
  const readsCalls = isNative || options.readsCalls === true;
  return {
    name: model.name,
    ...(model.server !== undefined && { server: model.server }),
    async *stream(request, signal) {
      const history = readsCalls ? request.conversation : toTextConversation(request.conversation, codec);
      if (request.tools.length === 0) {
        yield* model.stream({ ...request, conversation: history }, signal);
        return;
      }
      const context = buildProtocolContext(request, options, codec);
      const hasFinishTool = !isNative && request.tools.some(({ name }) => name === 'finish');
      const system = [request.system, codec.instructions(context)].filter((part) => part !== '').join('\n\n');
      for await (const chunk of model.stream({ ...request, system, conversation: history }, signal)) {
        // Do not stream fragments of a text protocol, and pass on replies already marked as problems.
        if (chunk.type !== 'reply') {
          if (isNative || chunk.type === 'failure') yield chunk;
        } else if (chunk.problem === undefined)
          yield decodeReplyChunk(codec, chunk, { context, hasFinishTool });
        else yield chunk;
      }
    },
  };
}

/** The JSON protocol has its own way to finish, so the finish tool is not offered. */
function buildProtocolContext(
  { tools, mode }: ModelRequest,
  { logs, callsMax }: ProtocolOptions,
  { name }: ProtocolCodec,
): ProtocolContext {
  const offered = name.startsWith('json') ? tools.filter((tool) => tool.name !== 'finish') : tools;
  return { tools: offered, states: mode?.next ?? [], logs, callsMax };
}

/** Decodes a reply. Its text stays unchanged, so that the conversation shows the original. */
function decodeReplyChunk(
  codec: ProtocolCodec,
  { text, calls, usage, response }: ReplyChunk,
  { context, hasFinishTool }: { readonly context: ProtocolContext; readonly hasFinishTool: boolean },
): ReplyChunk {
  const decision = codec.decode({ text, calls }, context);
  const used = { ...(usage !== undefined && { usage }), ...(response !== undefined && { response }) };
  if (decision.problems.length > 0) {
    const problem = explainProblems(decision.problems, codec, context);
    return { type: 'reply', kind: 'unreadable', text, calls: [], problem, ...used };
  }
  const { kind, nextState, logs, answer } = decision;
  const { think, evaluation } = logs;
  const writtenLogs = { ...(think !== null && { think }), ...(evaluation !== null && { evaluation }) };
  // Prose outside the protocol is not marked: in some modes it is a thought.
  const isMarked = decision.isProtocolReply || kind !== 'answer';
  const fields = {
    ...(isMarked && { kind }),
    ...used,
    ...(nextState !== null && { nextState }),
    ...(Object.keys(writtenLogs).length > 0 && { logs: writtenLogs }),
  };
  if (answer === null) return { type: 'reply', text, calls: decision.calls, ...fields };
  return hasFinishTool
    ? { type: 'reply', text, calls: [{ tool: 'finish', args: { answer } }], ...fields, kind: 'action' }
    : { type: 'reply', text: answer, calls: [], ...fields };
}

/** Converts calls and results to text, for a model without tool messages. */
function toTextConversation(
  conversation: ConversationHistory<ConversationMessage>,
  codec: ProtocolCodec,
): ConversationHistory<ConversationMessage> {
  let converted: ConversationHistory<ConversationMessage> = emptyConversation;
  let results: ToolMessage[] = [];
  const flush = (): void => {
    const [first] = results;
    if (first !== undefined)
      converted = appendItem(converted, { role: 'user', at: first.at, text: codec.observe(results) });
    results = [];
  };
  for (const message of iterateItems(conversation)) {
    if (message.role === 'tool') results.push(message);
    else {
      flush();
      converted = appendItem(converted, message.role === 'user' ? message : { ...message, calls: [] });
    }
  }
  flush();
  return converted;
}

/**
 * Decodes a reply with several protocols, for models that do not stick to one. The first match wins:
 * 1. the first protocol in which the reply is well formed and intended: its calls are of offered tools, and an answer
 * or a note is the whole reply. Prose that quotes a call or some JSON is still prose;
 * 2. the first protocol that the reply shows signs of: its problems are reported to the model;
 * 3. the first protocol in which the reply has no problem, which is prose as an answer, if a protocol accepts that.
 * Otherwise the problems of the first protocol are reported. Instructions and encoding use the first protocol.
 */
export function createFallbackCodec(codecs: readonly [ProtocolCodec, ...ProtocolCodec[]]): ProtocolCodec {
  const [first] = codecs;
  return {
    ...first,
    name: codecs.map(({ name }) => name).join(', '),
    decode(reply, context) {
      const decisions = codecs.map((codec) => codec.decode(reply, context));
      return (
        decisions.find((decision) => isIntendedDecision(decision, context)) ??
        decisions.find(({ isProtocolReply, problems }) => isProtocolReply && problems.length > 0) ??
        decisions.find(({ problems }) => problems.length === 0) ??
        first.decode(reply, context)
      );
    },
  };
}

function isIntendedDecision(decision: ModelDecision, { tools }: ProtocolContext): boolean {
  const { isProtocolReply, problems, calls, nextState, text } = decision;
  if (!isProtocolReply || problems.length > 0) return false;
  if (calls.length === 0) return nextState !== null || text === '';
  const isOffered = (tool: string) => tools.some(({ name }) => name === tool);
  return calls.every(({ tool }) => isOffered(tool));
}
