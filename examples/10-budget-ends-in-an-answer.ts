// An exhausted budget ends in an answer, not in an error: the last request offers no tools.
import { getConversation, createSession } from '@pawl/core';
import { Agent, findTurnAnswer, type Model, type Tool } from '@pawl/runtime';

const pages = ['roots', 'stems', 'leaves', 'flowers', 'seeds', 'soil', 'light', 'water'];
let pagesRead = 0;
const readPage: Tool = {
  description: { name: 'read_page', description: 'Reads a page.', parameters: { type: 'object' } },
  effect: 'read-only',
  async run(args) {
    const { page } = args as { readonly page: number };
    pagesRead += 1;
    return { ok: true, output: `Page ${page} is about ${pages[page - 1] ?? 'nothing'}.` };
  },
};

// A model that would read forever. Its reply depends on whether tools are offered.
const model: Model = {
  name: 'reader',
  async *stream({ tools }) {
    yield tools.length > 0
      ? { type: 'reply', text: '', calls: [{ tool: 'read_page', args: { page: pagesRead + 1 } }] }
      : { type: 'reply', text: `The first ${pagesRead} pages are about plants.`, calls: [] };
  },
};

const session = createSession({
  id: 'reading',
  at: Date.now(),
  settings: { budgets: { modelCalls: 5, toolCalls: null, tokens: null, cost: null, wallMs: 60_000 } },
});
const agent = new Agent({ session, model, tools: [readPage] });
await agent.sendMessage('What is the book about?');
const { turn, budgetUsage } = await agent.ended;

console.log(findTurnAnswer(getConversation(agent.session)));
console.log(`asked ${budgetUsage.modelCalls} times, read ${budgetUsage.toolCalls} pages`);
if (turn.status === 'halted') console.log(`ended by ${turn.haltReason.kind}: ${turn.haltReason.reason}`);
