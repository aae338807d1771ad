import { getConversation, createSession, type Session, toItemArray } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent } from '../../../src/agent/agent.ts';
import { jsonCodec } from '../../../src/protocols/json.ts';
import { createProtocolModel } from '../../../src/protocols/protocol-model.ts';
import { finishTool } from '../../../src/tools/librarian-tools.ts';
import { defineTool } from '../../../src/tools/tool.ts';
import {
  sendEvents,
  startTestServer,
  type RequestHandler,
} from '../../../../../scripts/testing/test-server.ts';
import { wireFormats, type WireFormat } from './wire-formats.ts';

const searchTool = defineTool({
  name: 'search',
  description: 'Searches the notes.',
  parameters: z.object({ query: z.string() }),
  run: ({ query }) => Promise.resolve({ ok: true, output: `Found: ${query} is in the shed.` }),
});

const findWire = (name: string): WireFormat =>
  wireFormats.find((wire) => wire.name === name) ?? expect.fail();

describe.each(wireFormats)('an agent on $name', ({ open, events }) => {
  it('completes a turn with calls and a failure', async () => {
    const script: readonly RequestHandler[] = [
      (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      (response) => {
        const calls = ['rake', 'spade'].map((query, at) => ({
          id: `id-${at}`,
          tool: 'search',
          input: JSON.stringify({ query }),
        }));
        sendEvents(response, events({ text: ['I search.'], calls }));
      },
      (response) => sendEvents(response, events({ text: ['Both are ', 'in the shed.'] })),
    ];
    const { url, received } = await startTestServer((response, one, index) =>
      script[index]?.(response, one, index),
    );
    const agent = new Agent({ model: await open(url), tools: [searchTool] });
    void agent.sendMessage('Where are the rake and the spade?');
    await waitUntilIdle(agent);
    expect(received).toHaveLength(3);
    const sent = JSON.stringify(received[2]?.body);
    expect(sent).toContain('Found: rake is in the shed.');
    expect(sent).toContain('Found: spade is in the shed.');
    expect(getLastAssistantText(agent.session)).toBe('Both are in the shed.');
  });
});

// Google sends arguments as JSON, not as text that holds JSON, and so cannot break off in them.
describe.each(wireFormats.filter(({ name }) => name !== 'google'))(
  'an agent on $name',
  ({ open, events }) => {
    it('tells the model at the end of the next prompt that its call was invalid', async () => {
      const queries: string[] = [];
      const noting = defineTool({
        name: 'search',
        description: 'Searches the notes.',
        parameters: z.object({ query: z.string() }),
        run: ({ query }) => {
          queries.push(query);
          return Promise.resolve({ ok: true, output: 'Nothing.' });
        },
      });
      const inputs = ['{"query": "ra', '{"query": "rake"}'];
      const { url, received } = await startTestServer((response, _, index) => {
        const input = inputs[index];
        const calls = input === undefined ? [] : [{ id: `id-${index}`, tool: 'search', input }];
        sendEvents(response, events(calls.length > 0 ? { calls } : { text: ['Nowhere.'] }));
      });
      const agent = new Agent({ model: await open(url), tools: [noting] });
      void agent.sendMessage('Where is the rake?');
      await waitUntilIdle(agent);
      expect(queries).toEqual(['rake']);
      expect(JSON.stringify(received[1]?.body)).toContain('the arguments of search are cut off');
      expect(JSON.stringify(received[2]?.body)).not.toContain('cut off');
      expect(getLastAssistantText(agent.session)).toBe('Nowhere.');
    });
  },
);

describe.each([findWire('openai'), findWire('google')])('Savant on $name', ({ open, events }) => {
  it('asks the model for JSON after the prompt with the state [SAV-21, SAV-34, SAV-107]', async () => {
    const replies = [
      { action: 'search', args: { query: 'rake' } },
      { action: 'finish', final: 'The rake is in the shed.' },
    ];
    const { url, received } = await startTestServer((response, _, index) =>
      sendEvents(response, events({ text: [JSON.stringify(replies[index])] })),
    );
    const { settings } = findProfile('savant') ?? expect.fail();
    const session = createSession({ id: 'savant', at: Date.now(), profile: 'savant', settings });
    const model = createProtocolModel(jsonCodec, await open(url, { protocol: 'json' }), {
      logs: [],
      callsMax: 1,
    });
    const agent = new Agent({ model, tools: [searchTool, finishTool], session });
    void agent.sendMessage('Where is the rake?');
    await waitUntilIdle(agent);
    expect(received).toHaveLength(2);
    for (const { body } of received) {
      const sent = JSON.stringify(body);
      expect(sent).toMatch(/"format":\{"type":"json_object"\}|"responseMimeType":"application\/json"/);
      expect(sent).not.toMatch(/"tools":|functionDeclarations/);
      const messages = body as {
        readonly input?: readonly unknown[];
        readonly contents?: readonly unknown[];
      };
      expect(JSON.stringify((messages.input ?? messages.contents)?.at(-1))).toContain('## Agent State');
    }
    expect(JSON.stringify(received[1]?.body)).toContain('Found: rake is in the shed.');
    expect(JSON.stringify(toItemArray(getConversation(agent.session)))).toContain('The rake is in the shed.');
  });
});

/** Resolves when the agent waits for the user again, or has ended. */
function waitUntilIdle(agent: Agent): Promise<unknown> {
  return Promise.race([agent.waitUntilIdle(), agent.ended]);
}

function getLastAssistantText(session: Session): string | undefined {
  const last = toItemArray(getConversation(session)).at(-1);
  return last?.role === 'assistant' ? last.text : undefined;
}
