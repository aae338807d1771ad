import { getConversation } from '@pawl/core';
import { Agent, findTurnAnswer, createLibrarian, indexFolder, createLibrarianTools } from '@pawl/runtime';

using folder = await indexFolder('docs');
const agent = new Agent({ model: createLibrarian(), tools: createLibrarianTools(folder) });
await agent.sendMessage('How many retries happen before the error is shown?');
console.log(findTurnAnswer(getConversation(await agent.waitUntilIdle())));
