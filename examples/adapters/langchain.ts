import { GraphRecursionError } from '@langchain/langgraph';
import { governorMiddleware } from '@pawl/adapters/langchain';
import { createAgent } from 'langchain';
import { ScriptedChatModel, tools } from './langchain-model.ts';
import { compare } from './scripts.ts';

await compare(async (script, isGoverned) => {
  const model = new ScriptedChatModel(script);
  const agent = createAgent({ model, tools, middleware: isGoverned ? [governorMiddleware()] : [] });
  try {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'When do we ship?' }] });
    return { steps: model.asked, text: messages.at(-1)?.text ?? '' };
  } catch (error) {
    if (!(error instanceof GraphRecursionError)) throw error;
    return { steps: model.asked, text: '' };
  }
});
