import { generateText, isStepCount, streamText, tool, ToolLoopAgent, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScriptedAiSdkModel } from '../../../examples/adapters/ai-sdk-model.ts';
import {
  alternateCommands,
  readSameFile,
  exampleTools as functions,
  type AgentScript,
} from '../../../examples/adapters/scripts.ts';
import { governLoopSettings } from '../src/ai-sdk.ts';
import {
  countMatches,
  ignoringScript,
  insistentScript,
  governorNotePattern,
  productiveScript,
} from './agent-scripts.ts';

const runs = { count: 0 };

const tools = {
  read: tool({
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => (path.startsWith('file-') ? `content of ${path}` : functions.read(path)),
  }),
  run: tool({
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }) => {
      runs.count += 1;
      return functions.run(command);
    },
  }),
};

const prompt = 'When do we ship?';
const limit = isStepCount(20);

async function generateGoverned(script: AgentScript, options = {}) {
  const model = createScriptedAiSdkModel(script);
  const result = await generateText(governLoopSettings({ model, tools, prompt, stopWhen: limit }, options));
  return { model, result, sent: model.doGenerateCalls.map((call) => JSON.stringify(call.prompt)) };
}

/** Reads one file three times, and then others. */
const recoveringScript: AgentScript = (asked) =>
  asked < 3 ? readSameFile(asked, true) : asked < 6 ? productiveScript(asked, true) : { text: 'Done.' };

describe('generateText', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('ends %s with an answer instead of at the step limit', async (_, script, steps) => {
    const alone = await generateText({
      model: createScriptedAiSdkModel(script),
      tools,
      prompt,
      stopWhen: limit,
    });
    expect([alone.steps.length, alone.text]).toEqual([20, '']);
    const { result, model } = await generateGoverned(script);
    expect(result.steps.length).toBe(steps);
    expect(result.text).not.toBe('');
    expect(result.finishReason).toBe('stop');
    expect(model.doGenerateCalls.at(-1)?.tools ?? []).toEqual([]);
  });

  it('adds advice to one request only, not to the stored conversation', async () => {
    const { result, sent } = await generateGoverned(alternateCommands);
    const advised = sent.map((text) => countMatches(text, governorNotePattern));
    expect(advised).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(new Set(sent.slice(5).map((text) => text.slice(text.search(governorNotePattern)))).size).toBe(2);
    expect(JSON.stringify(result.steps.map(({ response }) => response.messages))).not.toMatch(
      governorNotePattern,
    );
    expect(JSON.stringify(result.responseMessages)).not.toMatch(governorNotePattern);
  });

  it('removes old advice when no longer needed', async () => {
    const { sent } = await generateGoverned(recoveringScript);
    expect(sent.map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 1, 0, 0, 0]);
  });

  it('answers a blocked call with the reason and does not run it', async () => {
    runs.count = 0;
    const { result } = await generateGoverned(insistentScript);
    expect(runs.count).toBe(3);
    const sent = JSON.stringify(result.responseMessages);
    expect(countMatches(sent, /Not run again: run has failed 3 times/)).toBe(2);
    expect(result.text).toBe('It cannot be made.');
    expect(result.steps.length).toBe(6);
  });

  it('does not change two hundred productive steps', async () => {
    const model = createScriptedAiSdkModel(productiveScript);
    const alone = createScriptedAiSdkModel(productiveScript);
    const stopWhen = isStepCount(300);
    let verdicts = 0;
    const options = { onVerdict: () => void (verdicts += 1) };
    const result = await generateText(governLoopSettings({ model, tools, prompt, stopWhen }, options));
    await generateText({ model: alone, tools, prompt, stopWhen });
    expect(result.steps.length).toBe(201);
    expect(verdicts).toBe(0);
    const requests = ({ doGenerateCalls }: typeof model): readonly string[] =>
      doGenerateCalls.map((call) => JSON.stringify([call.prompt, call.tools, call.toolChoice]));
    expect(requests(model)).toEqual(requests(alone));
  });

  it('stops a model that calls tools it is not offered', async () => {
    const { result } = await generateGoverned(ignoringScript);
    expect(result.steps.length).toBe(5);
    expect(result.steps.at(-1)?.toolResults).toEqual([]);
  });

  it('keeps the callbacks of the given settings', async () => {
    const seen: number[] = [];
    const prepareStep = ({ stepNumber }: { readonly stepNumber: number }) => {
      seen.push(stepNumber);
      return { temperature: 0.5 };
    };
    const model = createScriptedAiSdkModel(readSameFile);
    const result = await generateText(
      governLoopSettings({ model, tools, prompt, prepareStep, stopWhen: [isStepCount(2)] }),
    );
    expect(seen).toEqual([0, 1]);
    expect(result.steps.length).toBe(2);
    expect(model.doGenerateCalls.map(({ temperature }) => temperature)).toEqual([0.5, 0.5]);
  });

  it('uses the token counts of the provider', async () => {
    const { result } = await generateGoverned(productiveScript, { budgets: { tokens: 90 } });
    expect(result.steps.length).toBe(6);
    expect(result.steps.at(-1)?.toolResults).toEqual([]);
  });

  it('does not change tools that need approval or run elsewhere', async () => {
    const asking = { ...tools, read: { ...tools.read, needsApproval: true } };
    const first = await generateText(
      governLoopSettings({ model: createScriptedAiSdkModel(readSameFile), tools: asking, prompt }),
    );
    expect(first.steps.length).toBe(1);
    expect(JSON.stringify(first.content)).toContain('tool-approval-request');
    const { execute: _, ...remote } = tools.read;
    const elsewhere = {
      model: createScriptedAiSdkModel(readSameFile),
      tools: { ...tools, read: remote },
      prompt,
    };
    const second = await generateText(governLoopSettings(elsewhere));
    expect(second.steps.length).toBe(1);
  });

  it('judges a resumed conversation by its full history', async () => {
    const alone = { model: createScriptedAiSdkModel(readSameFile), tools, prompt, stopWhen: isStepCount(3) };
    const { responseMessages } = await generateText(alone);
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }, ...responseMessages];
    const model = createScriptedAiSdkModel(readSameFile);
    const again = await generateText(governLoopSettings({ model, tools, messages, stopWhen: limit }));
    expect(again.steps.length).toBe(2);
    expect(again.text).not.toBe('');
  });
});

describe('streams and agents', () => {
  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 7],
  ])('streamText ends %s with an answer', async (_, script, steps) => {
    const model = createScriptedAiSdkModel(script);
    const result = streamText(governLoopSettings({ model, tools, prompt, stopWhen: limit }));
    let text = '';
    for await (const piece of result.textStream) text += piece;
    expect(script(steps - 1, false)).toEqual({ text });
    expect((await result.steps).length).toBe(steps);
    expect(JSON.stringify(await result.responseMessages)).not.toMatch(governorNotePattern);
  });

  it('a ToolLoopAgent keeps concurrent runs separate', async () => {
    const shared = governLoopSettings({ tools, model: createScriptedAiSdkModel(readSameFile) });
    const agent = (script: AgentScript) =>
      new ToolLoopAgent({ ...shared, model: createScriptedAiSdkModel(script) });
    const results = await Promise.all([
      agent(readSameFile).generate({ prompt }),
      agent(alternateCommands).generate({ prompt }),
      agent(productiveScript).generate({ prompt }),
      agent(readSameFile).generate({ prompt: 'Another question' }),
    ]);
    expect(results.map(({ steps }) => steps.length)).toEqual([5, 7, 201, 5]);
  });

  it('a ToolLoopAgent streams as well', async () => {
    const agent = new ToolLoopAgent(
      governLoopSettings({ model: createScriptedAiSdkModel(readSameFile), tools }),
    );
    const result = await agent.stream({ prompt });
    expect(await result.text).toContain('ship on Friday');
    expect((await result.steps).length).toBe(5);
  });
});
