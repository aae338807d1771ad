import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  alternateCommands,
  readSameFile,
  exampleTools as functions,
} from '../../../examples/adapters/scripts.ts';
import { governLoopSettings } from '../src/ai-sdk.ts';
import { earlierAiSdks } from './ai-sdk-versions.ts';
import {
  countMatches,
  governorNotePattern,
  ignoringScript,
  insistentScript,
  productiveScript,
} from './agent-scripts.ts';

const prompt = 'When do we ship?';

describe.each(earlierAiSdks)('AI SDK $version', ({ ai, createModel, ToolLoopAgent }) => {
  const runs = { count: 0 };
  const tools = {
    read: ai.tool({
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => (path.startsWith('file-') ? `content of ${path}` : functions.read(path)),
    }),
    run: ai.tool({
      inputSchema: z.object({ command: z.string() }),
      execute: ({ command }) => {
        runs.count += 1;
        return functions.run(command);
      },
    }),
  };
  const stopWhen = ai.stepCountIs(20);

  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('generateText ends %s with an answer', async (_, script, steps) => {
    const { model, requests } = createModel(script);
    const result = await ai.generateText(governLoopSettings({ model, tools, prompt, stopWhen }));
    expect(result.steps.length).toBe(steps);
    expect(script(steps - 1, false)).toEqual({ text: result.text });
    expect(requests.doGenerateCalls.at(-1)?.tools ?? []).toEqual([]);
    expect(JSON.stringify(result.response.messages)).not.toMatch(governorNotePattern);
  });

  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('streamText ends %s with an answer', async (_, script, steps) => {
    const { model } = createModel(script);
    const result = ai.streamText(governLoopSettings({ model, tools, prompt, stopWhen }));
    let text = '';
    for await (const piece of result.textStream) text += piece;
    expect(script(steps - 1, false)).toEqual({ text });
    expect((await result.steps).length).toBe(steps);
  });

  it('adds advice to one request only', async () => {
    const { model, requests } = createModel(alternateCommands);
    await ai.generateText(governLoopSettings({ model, tools, prompt, stopWhen }));
    const sent = requests.doGenerateCalls.map((call) => JSON.stringify(call.prompt));
    expect(sent.map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    runs.count = 0;
    const { model } = createModel(insistentScript);
    const result = await ai.generateText(governLoopSettings({ model, tools, prompt, stopWhen }));
    expect(runs.count).toBe(3);
    expect(result.steps.length).toBe(6);
    expect(result.text).toBe('It cannot be made.');
  });

  it('does not change two hundred productive steps', async () => {
    const [governed, alone] = [createModel(productiveScript), createModel(productiveScript)];
    const settings = { tools, prompt, stopWhen: ai.stepCountIs(300) };
    const result = await ai.generateText(governLoopSettings({ ...settings, model: governed.model }));
    await ai.generateText({ ...settings, model: alone.model });
    expect(result.steps.length).toBe(201);
    const sent = ({ requests }: typeof alone): readonly string[] =>
      requests.doGenerateCalls.map((call) => JSON.stringify([call.prompt, call.tools, call.toolChoice]));
    expect(sent(governed)).toEqual(sent(alone));
  });

  it('stops a model that calls tools it is not offered', async () => {
    const { model } = createModel(ignoringScript);
    const result = await ai.generateText(governLoopSettings({ model, tools, prompt, stopWhen }));
    expect(result.steps.length).toBe(5);
  });

  it('uses the token counts of the provider', async () => {
    const { model } = createModel(productiveScript);
    const settings = governLoopSettings({ model, tools, prompt, stopWhen }, { budgets: { tokens: 90 } });
    expect((await ai.generateText(settings)).steps.length).toBe(6);
  });

  it('ends the loop of an agent with an answer', async () => {
    const { model } = createModel(readSameFile);
    const settings = governLoopSettings({ model, tools });
    // The class has another name in each version and the same methods.
    const agent = new (ToolLoopAgent as typeof ai.Experimental_Agent)(settings);
    const result = await agent.generate({ prompt });
    expect([result.steps.length, result.text]).toEqual([5, expect.stringContaining('ship on Friday')]);
  });
});
