import { END, GraphRecursionError, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createGraphGovernor } from '@pawl/adapters/langgraph';
import { ScriptedChatModel, langChainTools } from './langchain-model.ts';
import { compareGoverned } from './scripts.ts';

await compareGoverned(async (script, isGoverned) => {
  const model = new ScriptedChatModel(script);
  const governor = createGraphGovernor();
  const node = new ToolNode(langChainTools);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(
      'agent',
      isGoverned
        ? governor.agent((messages, hasTools) =>
            (hasTools ? model.bindTools(langChainTools) : model).invoke(messages),
          )
        : async ({ messages }) => ({ messages: [await model.bindTools(langChainTools).invoke(messages)] }),
    )
    .addNode('tools', isGoverned ? governor.tools(node) : node)
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition, ['tools', END])
    .addEdge('tools', 'agent')
    .compile();
  try {
    const { messages } = await graph.invoke({ messages: [{ role: 'user', content: 'When do we ship?' }] });
    return { steps: model.asked, text: messages.at(-1)?.text ?? '' };
  } catch (error) {
    if (!(error instanceof GraphRecursionError)) throw error;
    return { steps: model.asked, text: '' };
  }
});
