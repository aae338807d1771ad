import {
  append,
  emptyConversation,
  items,
  type Conversation,
  type Message,
  type ToolMessage,
} from '@pawl/core';
import type { Model, ModelChunk, ModelRequest } from '../models/model.ts';
import type { Codec, LogName, ProtocolContext } from './codec.ts';
import { explainProblems } from './explain.ts';

/** What a profile lets a reply do, besides what is on offer at the moment. */
export type Manner = {
  readonly logs: readonly LogName[];
  /** How many calls one reply may make. */
  readonly callsMax: number;
  /** Whether the model can read calls and results as they are, although it writes text. */
  readonly readsCalls?: boolean;
};

type Replied = Extract<ModelChunk, { readonly type: 'reply' }>;

/**
 * A model that is spoken to in a protocol: it is told how to reply, and its replies are read. In a protocol of text, what
 * was called and what came of it stands in the conversation as text. A last answer needs no protocol.
 */
export function speakIn(codec: Codec, model: Model, manner: Manner): Model {
  const isNative = codec.name.startsWith('native');
  const readsCalls = isNative || manner.readsCalls === true;
  return {
    name: model.name,
    async *stream(request, signal) {
      const history = readsCalls ? request.conversation : asText(request.conversation, codec);
      if (request.tools.length === 0) {
        yield* model.stream({ ...request, conversation: history }, signal);
        return;
      }
      const context = contextOf(request, manner, codec);
      const finishes = !isNative && request.tools.some(({ name }) => name === 'finish');
      const system = [request.system, codec.instructions(context)].filter((part) => part !== '').join('\n\n');
      for await (const chunk of model.stream({ ...request, system, conversation: history }, signal)) {
        // Pieces of a protocol of text are not for showing, and what was not understood before stays so.
        if (chunk.type !== 'reply') {
          if (isNative || chunk.type === 'failure') yield chunk;
        } else if (chunk.problem === undefined) yield understood(codec, chunk, { context, finishes });
        else yield chunk;
      }
    },
  };
}

/** JSON has a word of its own for finishing; a tool of that name would only be in its way. */
function contextOf(
  { tools, mode }: ModelRequest,
  { logs, callsMax }: Manner,
  { name }: Codec,
): ProtocolContext {
  const offered = name.startsWith('json') ? tools.filter((tool) => tool.name !== 'finish') : tools;
  return { tools: offered, states: mode?.next ?? [], logs, callsMax };
}

/** The reply as it was meant. Its text stays as it was written, so that the conversation shows what was really said. */
function understood(
  codec: Codec,
  { text, calls, usage }: Replied,
  { context, finishes }: { readonly context: ProtocolContext; readonly finishes: boolean },
): Replied {
  const decision = codec.decode({ text, calls }, context);
  const used = usage === undefined ? {} : { usage };
  if (decision.problems.length > 0) {
    const problem = explainProblems(decision.problems, codec, context);
    return { type: 'reply', text, calls: [], problem, ...used };
  }
  const { nextState, logs, answer } = decision;
  const { think, evaluation } = logs;
  const written = { ...(think !== null && { think }), ...(evaluation !== null && { evaluation }) };
  const said = {
    ...used,
    ...(nextState !== null && { nextState }),
    ...(Object.keys(written).length > 0 && { logs: written }),
  };
  if (answer === null) return { type: 'reply', text, calls: decision.calls, ...said };
  return finishes
    ? { type: 'reply', text, calls: [{ tool: 'finish', args: { answer } }], ...said }
    : { type: 'reply', text: answer, calls: [], ...said };
}

/** Calls and results as text, for a model that has no messages for them. */
function asText(conversation: Conversation<Message>, codec: Codec): Conversation<Message> {
  let told: Conversation<Message> = emptyConversation;
  let results: ToolMessage[] = [];
  const flush = (): void => {
    const [first] = results;
    if (first !== undefined)
      told = append(told, { role: 'user', at: first.at, text: codec.observe(results) });
    results = [];
  };
  for (const message of items(conversation)) {
    if (message.role === 'tool') results.push(message);
    else {
      flush();
      told = append(told, message.role === 'user' ? message : { ...message, calls: [] });
    }
  }
  flush();
  return told;
}
