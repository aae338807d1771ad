import { join } from 'node:path';
import { synchronousOf, timed, type DurableContender } from '../durable/contender.ts';
import { answer, askedAt, goal, read, type Page } from '../durable/work.ts';
import { versionOf } from '../lib/environment.ts';

/** As its guide shows it: a graph of two nodes with a list of messages, and a checkpoint after each. */
export const langGraph: DurableContender = durableGraph('LangGraph.js', 'MessagesValue');
/** With a list of messages that keeps what is new instead of everything each time; its authors call it a beta. */
export const langGraphDelta: DurableContender = durableGraph('LangGraph.js, delta', 'MessagesDeltaValue');

function durableGraph(name: string, messages: 'MessagesValue' | 'MessagesDeltaValue'): DurableContender {
  return {
    name,
    version: versionOf('@langchain/langgraph', import.meta.url),
    async run({ steps, folder, tick }) {
      const { saver, graph, input } = await built(messages, { steps, folder, tick });
      const taken = await timed(async () => {
        await graph.invoke(input, { ...thread, recursionLimit: 4 * steps + 10 });
      });
      const synchronous = synchronousOf(saver.db.pragma('synchronous', { simple: true }));
      saver.db.close();
      return { ...taken, synchronous, textBytes: null };
    },
    async open(folder) {
      const { saver, graph } = await built(messages, { steps: 0, folder, tick: () => undefined });
      const start = performance.now();
      const { values } = await graph.getState(thread);
      const ms = performance.now() - start;
      saver.db.close();
      return { ms, messages: values.messages.length, replayed: null };
    },
  };
}

const thread = { configurable: { thread_id: 'bench' } };

async function built(
  value: 'MessagesValue' | 'MessagesDeltaValue',
  { steps, folder, tick }: Parameters<DurableContender['run']>[0],
): Promise<{ readonly saver: Saver; readonly graph: Graph; readonly input: State }> {
  const { library, messages, sqlite } = await load();
  const saver = sqlite.SqliteSaver.fromConnString(join(folder, 'checkpoints.db'));
  let step = 0;
  const agent = (): State => {
    if (step === steps) return { messages: [new messages.AIMessage({ id: 'answer', content: answer })] };
    const { text, callId, page } = askedAt(step);
    step += 1;
    const toolCalls = [{ id: callId, name: 'read', args: page }];
    return {
      messages: [new messages.AIMessage({ id: `ask-${step}`, content: text, tool_calls: toolCalls })],
    };
  };
  const tools = (state: State): State => {
    tick();
    const calls = state.messages.at(-1)?.tool_calls ?? [];
    return {
      messages: calls.map(
        ({ id, name, args }) =>
          new messages.ToolMessage({ id: `said-${id}`, tool_call_id: id, name, content: read(args) }),
      ),
    };
  };
  const { StateGraph, StateSchema, START, END } = library;
  const graph = new StateGraph(new StateSchema({ messages: library[value] }))
    .addNode('agent', agent)
    .addNode('tools', tools)
    .addEdge(START, 'agent')
    .addEdge('tools', 'agent')
    .addConditionalEdges('agent', (state) => (state.messages.at(-1)?.tool_calls?.length ? 'tools' : END))
    .compile({ checkpointer: saver });
  return { saver, graph, input: { messages: [new messages.HumanMessage({ id: 'goal', content: goal })] } };
}

/**
 * The part of the libraries that is used. They are installed by the bench and not with the project, so neither their
 * types nor their names can be imported as usual.
 */
type Message = {
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: Page }[];
};
type State = { readonly messages: readonly Message[] };
type MakeMessage = new (fields: Readonly<Record<string, unknown>>) => Message;
type Saver = {
  readonly db: { pragma(name: string, options: { readonly simple: true }): unknown; close(): void };
};
type Graph = {
  invoke(input: State, options: object): Promise<State>;
  getState(options: object): Promise<{ readonly values: State }>;
};
type Builder = {
  addNode(name: string, node: (state: State) => State): Builder;
  addEdge(from: string, to: string): Builder;
  addConditionalEdges(from: string, choose: (state: State) => string): Builder;
  compile(options: { readonly checkpointer: Saver }): Graph;
};
type Libraries = {
  readonly library: {
    readonly StateGraph: new (schema: object) => Builder;
    readonly StateSchema: new (fields: object) => object;
    readonly MessagesValue: object;
    readonly MessagesDeltaValue: object;
    readonly START: string;
    readonly END: string;
  };
  readonly messages: {
    readonly AIMessage: MakeMessage;
    readonly HumanMessage: MakeMessage;
    readonly ToolMessage: MakeMessage;
  };
  readonly sqlite: { readonly SqliteSaver: { fromConnString(path: string): Saver } };
};

async function load(): Promise<Libraries> {
  const [library, messages, sqlite] = await Promise.all(
    ['@langchain/langgraph', '@langchain/core/messages', '@langchain/langgraph-checkpoint-sqlite'].map(
      (name) => import(name) as Promise<unknown>,
    ),
  );
  return { library, messages, sqlite } as Libraries;
}
