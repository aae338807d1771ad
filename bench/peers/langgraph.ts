import { join } from 'node:path';
import { toSynchronousLevel, measureElapsed, type DurableContender } from '../durable/contender.ts';
import {
  benchAnswer,
  createPageRequest,
  benchGoal,
  readBenchPage,
  type FilePage,
} from '../durable/bench-session.ts';
import { getPackageVersion } from '../lib/environment.ts';

/** As in its guide: a graph of two nodes with a message list, and a checkpoint after each node. */
export const durableLangGraph: DurableContender = createDurableGraph('LangGraph.js', 'MessagesValue');
/** With a message list that stores only additions instead of the whole list; its authors call it a beta. */
export const durableLangGraphDelta: DurableContender = createDurableGraph(
  'LangGraph.js, delta',
  'MessagesDeltaValue',
);

function createDurableGraph(
  name: string,
  messages: 'MessagesValue' | 'MessagesDeltaValue',
): DurableContender {
  return {
    name,
    version: getPackageVersion('@langchain/langgraph', import.meta.url),
    async run({ steps, folder, tick }) {
      const { saver, graph, input } = await buildLangGraph(messages, { steps, folder, tick });
      const elapsed = await measureElapsed(async () => {
        await graph.invoke(input, { ...threadConfig, recursionLimit: 4 * steps + 10 });
      });
      const synchronous = toSynchronousLevel(saver.db.pragma('synchronous', { simple: true }));
      saver.db.close();
      return { ...elapsed, synchronous, textBytes: null };
    },
    async open(folder) {
      const { saver, graph } = await buildLangGraph(messages, { steps: 0, folder, tick: () => undefined });
      const start = performance.now();
      const { values } = await graph.getState(threadConfig);
      const ms = performance.now() - start;
      saver.db.close();
      return { ms, messages: values.messages.length, replayed: null };
    },
  };
}

const threadConfig = { configurable: { thread_id: 'bench' } };

async function buildLangGraph(
  value: 'MessagesValue' | 'MessagesDeltaValue',
  { steps, folder, tick }: Parameters<DurableContender['run']>[0],
): Promise<{ readonly saver: CheckpointSaver; readonly graph: CompiledGraph; readonly input: GraphState }> {
  const { library, messages, sqlite } = await loadGraphLibraries();
  const saver = sqlite.SqliteSaver.fromConnString(join(folder, 'checkpoints.db'));
  let step = 0;
  const agent = (): GraphState => {
    if (step === steps) return { messages: [new messages.AIMessage({ id: 'answer', content: benchAnswer })] };
    const { text, callId, page } = createPageRequest(step);
    step += 1;
    const toolCalls = [{ id: callId, name: 'read', args: page }];
    return {
      messages: [new messages.AIMessage({ id: `ask-${step}`, content: text, tool_calls: toolCalls })],
    };
  };
  const tools = (state: GraphState): GraphState => {
    tick();
    const calls = state.messages.at(-1)?.tool_calls ?? [];
    return {
      messages: calls.map(
        ({ id, name, args }) =>
          new messages.ToolMessage({
            id: `said-${id}`,
            tool_call_id: id,
            name,
            content: readBenchPage(args),
          }),
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
  return {
    saver,
    graph,
    input: { messages: [new messages.HumanMessage({ id: 'goal', content: benchGoal })] },
  };
}

/**
 * The parts of the libraries that are used. The benchmark installs them separately from the project, so their types
 * cannot be imported.
 */
type GraphMessage = {
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: FilePage }[];
};
type GraphState = { readonly messages: readonly GraphMessage[] };
type MessageConstructor = new (fields: Readonly<Record<string, unknown>>) => GraphMessage;
type CheckpointSaver = {
  readonly db: { pragma(name: string, options: { readonly simple: true }): unknown; close(): void };
};
type CompiledGraph = {
  invoke(input: GraphState, options: object): Promise<GraphState>;
  getState(options: object): Promise<{ readonly values: GraphState }>;
};
type GraphBuilder = {
  addNode(name: string, node: (state: GraphState) => GraphState): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges(from: string, choose: (state: GraphState) => string): GraphBuilder;
  compile(options: { readonly checkpointer: CheckpointSaver }): CompiledGraph;
};
type GraphLibraries = {
  readonly library: {
    readonly StateGraph: new (schema: object) => GraphBuilder;
    readonly StateSchema: new (fields: object) => object;
    readonly MessagesValue: object;
    readonly MessagesDeltaValue: object;
    readonly START: string;
    readonly END: string;
  };
  readonly messages: {
    readonly AIMessage: MessageConstructor;
    readonly HumanMessage: MessageConstructor;
    readonly ToolMessage: MessageConstructor;
  };
  readonly sqlite: { readonly SqliteSaver: { fromConnString(path: string): CheckpointSaver } };
};

async function loadGraphLibraries(): Promise<GraphLibraries> {
  const [library, messages, sqlite] = await Promise.all(
    ['@langchain/langgraph', '@langchain/core/messages', '@langchain/langgraph-checkpoint-sqlite'].map(
      (name) => import(name) as Promise<unknown>,
    ),
  );
  return { library, messages, sqlite } as GraphLibraries;
}
