import { conversationOf } from '@pawl/core';
import { Agent, answerOf, createLibrarian, indexFolder, librarianTools } from '@pawl/runtime';

using folder = await indexFolder('docs');
const agent = new Agent({ model: createLibrarian(), tools: librarianTools(folder) });
await agent.say('How many retries happen before the error is shown?');
console.log(answerOf(conversationOf(await agent.idle())));
