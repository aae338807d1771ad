import { GraphRecursionError } from '@langchain/langgraph';
import { createGovernorMiddleware } from '@pawl/adapters/langchain';
import { createAgent } from 'langchain';
import { ScriptedChatModel, langChainTools } from './langchain-model.ts';
import { compareGoverned } from './scripts.ts';

await compareGoverned(async (script, isGoverned) => {
  const model = new ScriptedChatModel(script);
  const agent = createAgent({
    model,
    tools: langChainTools,
    middleware: isGoverned ? [createGovernorMiddleware()] : [],
  });
  try {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'When do we ship?' }] });
    return { steps: model.asked, text: messages.at(-1)?.text ?? '' };
  } catch (error) {
    if (!(error instanceof GraphRecursionError)) throw error;
    return { steps: model.asked, text: '' };
  }
});
