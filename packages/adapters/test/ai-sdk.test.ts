import { generateText, isStepCount, streamText, tool, ToolLoopAgent, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../../../examples/adapters/ai-sdk-model.ts';
import {
  backAndForth,
  sameFile,
  tools as functions,
  type Script,
} from '../../../examples/adapters/scripts.ts';
import { governed } from '../src/ai-sdk.ts';
import { countOf, deaf, insistent, note, productive } from './agents.ts';

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

async function generated(script: Script, options = {}) {
  const model = scriptedModel(script);
  const result = await generateText(governed({ model, tools, prompt, stopWhen: limit }, options));
  return { model, result, sent: model.doGenerateCalls.map((call) => JSON.stringify(call.prompt)) };
}

/** Reads one file three times, and then others. */
const recovering: Script = (asked) =>
  asked < 3 ? sameFile(asked, true) : asked < 6 ? productive(asked, true) : { text: 'Done.' };

describe('generateText', () => {
  it.each([
    ['sameFile', sameFile, 5],
    ['backAndForth', backAndForth, 8],
  ])('ends %s with an answer, where it would run into the limit alone', async (_, script, steps) => {
    const alone = await generateText({ model: scriptedModel(script), tools, prompt, stopWhen: limit });
    expect([alone.steps.length, alone.text]).toEqual([20, '']);
    const { result, model } = await generated(script);
    expect(result.steps.length).toBe(steps);
    expect(result.text).not.toBe('');
    expect(result.finishReason).toBe('stop');
    expect(model.doGenerateCalls.at(-1)?.tools ?? []).toEqual([]);
  });

  it('adds advice to one request only, and to nothing that is kept', async () => {
    const { result, sent } = await generated(backAndForth);
    const advised = sent.map((text) => countOf(text, note));
    expect(advised).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
    expect(new Set(sent.slice(5).map((text) => text.slice(text.search(note)))).size).toBe(3);
    expect(JSON.stringify(result.steps.map(({ response }) => response.messages))).not.toMatch(note);
    expect(JSON.stringify(result.responseMessages)).not.toMatch(note);
  });

  it('takes old advice out again when there is nothing more to say', async () => {
    const { sent } = await generated(recovering);
    expect(sent.map((text) => countOf(text, note))).toEqual([0, 0, 0, 1, 0, 0, 0]);
  });

  it('answers a refused call with the reason and does not run it', async () => {
    runs.count = 0;
    const { result } = await generated(insistent);
    expect(runs.count).toBe(3);
    const said = JSON.stringify(result.responseMessages);
    expect(countOf(said, /Not run again: run has failed 3 times/)).toBe(2);
    expect(result.text).toBe('It cannot be made.');
    expect(result.steps.length).toBe(6);
  });

  it('leaves two hundred productive steps as they are', async () => {
    const model = scriptedModel(productive);
    const alone = scriptedModel(productive);
    const stopWhen = isStepCount(300);
    let verdicts = 0;
    const options = { onVerdict: () => void (verdicts += 1) };
    const result = await generateText(governed({ model, tools, prompt, stopWhen }, options));
    await generateText({ model: alone, tools, prompt, stopWhen });
    expect(result.steps.length).toBe(201);
    expect(verdicts).toBe(0);
    const requests = ({ doGenerateCalls }: typeof model): readonly string[] =>
      doGenerateCalls.map((call) => JSON.stringify([call.prompt, call.tools, call.toolChoice]));
    expect(requests(model)).toEqual(requests(alone));
  });

  it('stops a model that calls tools it is not offered', async () => {
    const { result } = await generated(deaf);
    expect(result.steps.length).toBe(5);
    expect(result.steps.at(-1)?.toolResults).toEqual([]);
  });

  it('keeps what the settings do themselves', async () => {
    const seen: number[] = [];
    const prepareStep = ({ stepNumber }: { readonly stepNumber: number }) => {
      seen.push(stepNumber);
      return { temperature: 0.5 };
    };
    const model = scriptedModel(sameFile);
    const result = await generateText(
      governed({ model, tools, prompt, prepareStep, stopWhen: [isStepCount(2)] }),
    );
    expect(seen).toEqual([0, 1]);
    expect(result.steps.length).toBe(2);
    expect(model.doGenerateCalls.map(({ temperature }) => temperature)).toEqual([0.5, 0.5]);
  });

  it('counts the tokens that the provider counts', async () => {
    const { result } = await generated(productive, { budgets: { tokens: 90 } });
    expect(result.steps.length).toBe(6);
    expect(result.steps.at(-1)?.toolResults).toEqual([]);
  });

  it('leaves tools that ask for approval or are run elsewhere as they are', async () => {
    const asking = { ...tools, read: { ...tools.read, needsApproval: true } };
    const first = await generateText(governed({ model: scriptedModel(sameFile), tools: asking, prompt }));
    expect(first.steps.length).toBe(1);
    expect(JSON.stringify(first.content)).toContain('tool-approval-request');
    const { execute: _, ...remote } = tools.read;
    const elsewhere = { model: scriptedModel(sameFile), tools: { ...tools, read: remote }, prompt };
    const second = await generateText(governed(elsewhere));
    expect(second.steps.length).toBe(1);
  });

  it('judges a conversation that is taken up again by all of it', async () => {
    const alone = { model: scriptedModel(sameFile), tools, prompt, stopWhen: isStepCount(3) };
    const { responseMessages } = await generateText(alone);
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }, ...responseMessages];
    const model = scriptedModel(sameFile);
    const again = await generateText(governed({ model, tools, messages, stopWhen: limit }));
    expect(again.steps.length).toBe(2);
    expect(again.text).not.toBe('');
  });
});

describe('streams and agents', () => {
  it.each([
    ['sameFile', sameFile, 5],
    ['backAndForth', backAndForth, 8],
  ])('streamText ends %s with an answer', async (_, script, steps) => {
    const model = scriptedModel(script);
    const result = streamText(governed({ model, tools, prompt, stopWhen: limit }));
    let text = '';
    for await (const piece of result.textStream) text += piece;
    expect(script(steps - 1, false)).toEqual({ text });
    expect((await result.steps).length).toBe(steps);
    expect(JSON.stringify(await result.responseMessages)).not.toMatch(note);
  });

  it('a ToolLoopAgent serves runs side by side without mixing them up', async () => {
    const shared = governed({ tools, model: scriptedModel(sameFile) });
    const agent = (script: Script) => new ToolLoopAgent({ ...shared, model: scriptedModel(script) });
    const results = await Promise.all([
      agent(sameFile).generate({ prompt }),
      agent(backAndForth).generate({ prompt }),
      agent(productive).generate({ prompt }),
      agent(sameFile).generate({ prompt: 'Another question' }),
    ]);
    expect(results.map(({ steps }) => steps.length)).toEqual([5, 8, 201, 5]);
  });

  it('a ToolLoopAgent streams as well', async () => {
    const agent = new ToolLoopAgent(governed({ model: scriptedModel(sameFile), tools }));
    const result = await agent.stream({ prompt });
    expect(await result.text).toContain('ship on Friday');
    expect((await result.steps).length).toBe(5);
  });
});
