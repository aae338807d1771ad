import { getConversation } from '@pawl/core';
import { Agent, findTurnAnswer } from '@pawl/runtime';
import { createLibrarian } from '@pawl/runtime/models';
import { indexFolder } from '@pawl/runtime/search';
import { createLibrarianTools } from '@pawl/runtime/tools';

using folder = await indexFolder('docs');
const agent = new Agent({ model: createLibrarian(), tools: createLibrarianTools(folder) });
await agent.sendMessage('How many retries happen before the error is shown?');
console.log(findTurnAnswer(getConversation(await agent.waitUntilIdle())));
