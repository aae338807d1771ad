import { beforeEach, describe, expect, it } from 'vitest';
import {
  alternateCommands,
  exampleTools,
  readSameFile,
  type AgentScript,
} from '../../../../examples/adapters/scripts.ts';
import { createModelMiddleware, type GenkitMessage, type GenkitRequest } from '../../src/genkit.ts';
import { countMatches, governorNotePattern, ignoringScript, insistentScript } from '../agent-scripts.ts';
import { compileDocsExample } from './compile-docs-example.ts';
import { productiveSteps } from './framework-scripts.ts';
import { installFramework, selectVersion } from './install-framework.ts';

const version = selectVersion('1.1.0', '^1.42.0');
const framework = installFramework(`genkit-${version}`, { genkit: version });

type GenkitResult = { readonly text: string; readonly messages: readonly GenkitMessage[] };
type Genkit = {
  defineModel(
    options: object,
    run: (request: GenkitRequest) => Promise<{ message: GenkitMessage; finishReason: string }>,
  ): object;
  defineTool(options: object, run: (input: Record<string, string>) => Promise<string>): object;
  generate(options: object): Promise<GenkitResult>;
  generateStream(options: object): {
    readonly stream: AsyncIterable<object>;
    readonly response: Promise<GenkitResult>;
  };
};
type GenkitModule = {
  readonly genkit: (options: object) => Genkit;
  readonly z: { readonly object: (shape: object) => object; readonly string: () => object };
};

const prompt = 'When do we ship?';

async function createTestGenkit() {
  const { genkit, z } = await framework.load<GenkitModule>('genkit');
  const ai = genkit({});
  const defineModel = (name: string, script: AgentScript) => {
    const requests: GenkitRequest[] = [];
    const model = ai.defineModel({ name, supports: { tools: true, multiturn: true } }, async (request) => {
      requests.push(structuredClone({ messages: request.messages, tools: request.tools }));
      const move = script(requests.length - 1, ((request.tools ?? []) as readonly unknown[]).length > 0);
      const content =
        'text' in move
          ? [{ text: move.text }]
          : move.calls.map(({ tool, args }, index) => ({
              toolRequest: { name: tool, ref: `${requests.length}.${index}`, input: args },
            }));
      return { message: { role: 'model', content }, finishReason: 'stop' };
    });
    return { model, requests };
  };
  const defineTool = (name: string, field: string, run: (input: string) => Promise<string>) =>
    ai.defineTool(
      { name, description: name, inputSchema: z.object({ [field]: z.string() }), outputSchema: z.string() },
      async (input) => run(input[field] ?? ''),
    );
  const tools = [
    defineTool(
      'read',
      'path',
      async (path) => exampleTools.read(path) + (path.startsWith('file-') ? path : ''),
    ),
    // A tool that throws ends the run, so failures are returned.
    defineTool('run', 'command', async (command) => `Error: ${command}: exit code 2`),
  ];
  return { ai, defineModel, defineTool, tools };
}

async function runGenkit(script: AgentScript, isGoverned = true) {
  const { ai, defineModel, tools } = await createTestGenkit();
  const { model, requests } = defineModel('scripted', script);
  const use = isGoverned ? [createModelMiddleware()] : [];
  const result = await ai
    .generate({ model, prompt, tools, use, maxTurns: 19 })
    .catch((error: unknown) => String(error));
  return { requests, result: typeof result === 'string' ? null : result };
}

describe(`Genkit ${version}`, () => {
  beforeEach(({ skip }) => skip(framework.problem !== null, framework.problem ?? ''));

  it('compiles the example of the documentation', () => {
    expect(compileDocsExample(framework, '@pawl/adapters/genkit')).toBe('');
  });

  it('loops until its limit without the governor', async () => {
    const { requests, result } = await runGenkit(readSameFile, false);
    expect([requests.length, result]).toEqual([20, null]);
  });

  it.each([
    ['sameFile', readSameFile, 5],
    ['backAndForth', alternateCommands, 8],
    ['a failing call', insistentScript, 8],
  ])('ends %s with an answer', async (_, script, limit) => {
    const { requests, result } = await runGenkit(script);
    expect(requests.length).toBeLessThanOrEqual(limit);
    expect(script(requests.length - 1, false)).toEqual({ text: result?.text });
    expect(JSON.stringify(result?.messages)).not.toMatch(governorNotePattern);
  });

  it('streams', async () => {
    const { ai, defineModel, tools } = await createTestGenkit();
    const { model, requests } = defineModel('scripted', readSameFile);
    const { response } = ai.generateStream({
      model,
      prompt,
      tools,
      use: [createModelMiddleware()],
      maxTurns: 19,
    });
    expect((await response).text).toContain('ship on Friday');
    expect(requests.length).toBe(5);
  });

  it('adds advice to one request only', async () => {
    const { requests } = await runGenkit(readSameFile);
    const sent = requests.map(({ messages }) => JSON.stringify(messages));
    expect(sent.map((text) => countMatches(text, governorNotePattern))).toEqual([0, 0, 0, 1, 1]);
  });

  it('supplies the final answer for a model that calls tools it was not offered', async () => {
    const { requests, result } = await runGenkit(ignoringScript);
    expect(requests.length).toBe(5);
    expect(result?.text).toMatch(/^The work was stopped: read was called 4 times/);
  });

  it('does not change twelve productive steps', async () => {
    const governed = await runGenkit(productiveSteps);
    const alone = await runGenkit(productiveSteps, false);
    expect(governed.result?.text).toBe('All read.');
    expect(governed.requests).toEqual(alone.requests);
  });

  it('ends the loop of an agent in a tool but not its caller', async () => {
    const { ai, defineModel, defineTool, tools } = await createTestGenkit();
    const use = [createModelMiddleware()];
    const child = defineModel('child', readSameFile);
    const ask = defineTool(
      'ask',
      'path',
      async () => (await ai.generate({ model: child.model, prompt, tools, use, maxTurns: 19 })).text,
    );
    const parent = defineModel('parent', (asked) =>
      asked === 0
        ? { calls: [{ tool: 'ask' as 'read', args: { path: 'notes.md' } }] }
        : { text: 'The sub-agent says Friday.' },
    );
    const { text } = await ai.generate({ model: parent.model, prompt, tools: [ask], use });
    expect([child.requests.length, parent.requests.length]).toEqual([5, 2]);
    expect(JSON.stringify(parent.requests.at(-1)?.messages)).toContain('It says: ship on Friday.');
    expect(text).toBe('The sub-agent says Friday.');
  });
});
