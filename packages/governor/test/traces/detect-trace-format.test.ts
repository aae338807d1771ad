import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import {
  detectTraceFormat,
  traceFormats,
  parseTrace,
  describeUnknownFormat,
} from '../../src/traces/parse-trace.ts';
import { formatTraceProblem } from './parse-single-run.ts';
import * as agents from './agent-samples.ts';
import * as benchmarks from './benchmark-samples.ts';
import * as frameworks from './framework-samples.ts';
import * as conversations from './samples.ts';
import * as studies from './study-samples.ts';

const formatSamples: readonly (readonly [name: string, document: Json, format: string])[] = [
  ['openaiChat', conversations.openaiChatSample, 'openai-chat'],
  ['openaiResponses', conversations.openaiResponsesSample, 'openai-responses'],
  ['anthropic', conversations.anthropicSample, 'anthropic'],
  ['aiSdk', conversations.aiSdkSample, 'ai-sdk'],
  ['aiSdkPage', conversations.aiSdkPageSample, 'ai-sdk'],
  ['langchain', conversations.langchainSample, 'langchain'],
  ['langchainDict', conversations.langchainDictSample, 'langchain'],
  ['claudeCode', conversations.claudeCodeSample, 'claude-code'],
  ['codex', conversations.codexSample, 'codex'],
  ['geminiCli', agents.geminiCliSample, 'gemini-cli'],
  ['qwenCode', agents.qwenCodeSample, 'qwen-code'],
  ['opencode', agents.opencodeSample, 'opencode'],
  ['cline', agents.clineSample, 'cline'],
  ['clineTask', agents.clineTaskSample, 'cline'],
  ['continue', agents.continueSample, 'continue'],
  ['copilotCli', agents.copilotCliSample, 'copilot-cli'],
  ['copilotHistory', agents.copilotHistorySample, 'copilot-cli'],
  ['cursorChat', agents.cursorChatSample, 'cursor'],
  ['cursorConversation', agents.cursorConversationSample, 'cursor'],
  ['cursorTranscript', agents.cursorTranscriptSample, 'cursor'],
  ['sweAgent', benchmarks.sweAgentSample, 'swe-agent'],
  ['miniSweAgent', benchmarks.miniSweAgentSample, 'mini-swe-agent'],
  ['miniSweAgentCalls', benchmarks.miniSweAgentCallsSample, 'mini-swe-agent'],
  ['openhands', benchmarks.openhandsSample, 'openhands'],
  ['openhandsSdk', benchmarks.openhandsSdkSample, 'openhands'],
  ['tau2', benchmarks.tau2Sample, 'tau'],
  ['tau', benchmarks.tauSample, 'tau'],
  ['otlp', benchmarks.otlpSample, 'otlp'],
  ['inspectAi', frameworks.inspectAiSample, 'inspect-ai'],
  ['moatless', frameworks.moatlessSample, 'moatless'],
  ['autogen', frameworks.autogenSample, 'autogen'],
  ['autogenContext', frameworks.autogenContextSample, 'autogen'],
  ['ag2', frameworks.ag2Sample, 'autogen'],
  ['openInference', frameworks.openInferenceSample, 'openinference'],
  ['openInferenceTree', frameworks.openInferenceTreeSample, 'openinference'],
  ['cochise', studies.cochiseSample, 'cochise'],
  ['codeRepairLab', studies.codeRepairLabSample, 'code-repair-lab'],
  ['sentinel', studies.sentinelSample, 'sentinel'],
  ['mint', studies.mintSample, 'mint'],
  ['normalized', benchmarks.normalizedSample, 'normalized'],
  ['pawl', benchmarks.pawlSample, 'pawl'],
  ['pawlLines', benchmarks.pawlLinesSample, 'pawl'],
];

describe('the format of a document', () => {
  it.each(formatSamples)('is found for %s', (_name, document, format) => {
    expect(detectTraceFormat(document)?.name).toBe(format);
  });

  it('has a sample for each format', () => {
    expect(new Set(formatSamples.map(([, , format]) => format))).toEqual(
      new Set(traceFormats.map(({ name }) => name)),
    );
  });

  it.each([
    null,
    1,
    'text',
    [],
    {},
    [[]],
    [{}],
    { messages: [] },
    { messages: 'no' },
    { steps: [1] },
    [{ role: 'x' }],
  ])('is none for %j', (document) => {
    expect(detectTraceFormat(document)).toBeNull();
  });

  it('is not confused by inherited fields', () => {
    expect(
      detectTraceFormat(JSON.parse('{"__proto__":{"messages":[{"role":"user","content":"a"}]}}') as Json),
    ).toBeNull();
  });
});

describe('parsing arbitrary input', () => {
  it('reads a list of documents, each in its own format', () => {
    const list = [
      benchmarks.normalizedSample,
      { nothing: 1 },
      { messages: [{ role: 'user', content: 'a' }, 3] },
    ];
    const { runs, problems } = parseTrace(list, 'list');
    expect(runs.map(({ id }) => id)).toEqual(['run-1', 'list#3']);
    expect(problems.map(formatTraceProblem)).toEqual([
      '[1]: no run of a known format',
      '[2].messages[1]: expected a message, got a number',
    ]);
  });

  it('lists the expected formats if none matches', () => {
    const { runs, problems } = parseTrace({ a: 1 }, 'name');
    expect(runs).toEqual([]);
    expect(problems).toEqual([{ location: '', problem: describeUnknownFormat() }]);
    for (const { sign } of traceFormats) expect(describeUnknownFormat()).toContain(sign);
  });
});

/** Every value in a document that a mutation may put another one in the place of. */
function listValuePaths(
  value: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    listValuePaths(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...inner];
}

function replaceAtPath(value: Json, [key, ...rest]: readonly (string | number)[], by: Json): Json {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, Json>;
  copy[key] = replaceAtPath(copy[key] ?? null, rest, by);
  return copy;
}

/** Without a negative zero, which JSON can hold and `JSON.stringify` does not write. */
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** The words that formats look for, so that arbitrary documents come near to being some. */
const anyKeyword = fc.constantFrom(
  ...'messages steps role content type assistant tool_calls parts payload kwargs kind id action'.split(' '),
  ...'simulations traj history trajectory resourceSpans observation ai tool_use tool args source'.split(' '),
  ...'sessionId projectHash gemini toolCalls uuid message info ts user text contextItems toolCallStates'.split(
    ' ',
  ),
);

const anyNearDocument = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    anyKeyword,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyKeyword, tie('value'), { maxKeys: 5 }),
  ),
})).value;

const anyMutatedDocument = fc
  .constantFrom(...formatSamples.map(([, document]) => document))
  .chain((document) => fc.tuple(fc.constant(document), fc.constantFrom(...listValuePaths(document)), anyJson))
  .map(([document, path, value]) => replaceAtPath(document, path, value));

/** Reads a document as every format, and holds what comes out to what a run may be. */
function checkParsedDocument(document: Json): void {
  parseTrace(document, 'name');
  for (const format of traceFormats) {
    const { runs, problems } = format.parse(document, 'name');
    expect(problems.every(({ problem }) => problem !== '')).toBe(true);
    expect(JSON.parse(JSON.stringify(runs))).toEqual(runs);
    for (const { id, steps } of runs) {
      expect(id).not.toBe('');
      for (const { i, role, tokens = 0, inputTokens = 0 } of steps) {
        expect(Number.isInteger(i)).toBe(true);
        expect(['assistant', 'user']).toContain(role);
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(inputTokens).toBeGreaterThanOrEqual(0);
      }
    }
  }
}

describe('no parser throws', () => {
  it('on arbitrary JSON', () => {
    fc.assert(fc.property(anyJson, checkParsedDocument), { numRuns: 300 });
  });

  it('on almost valid traces', () => {
    fc.assert(fc.property(anyNearDocument, checkParsedDocument), { numRuns: 500 });
  });

  it('on a trace with one value replaced', () => {
    fc.assert(fc.property(anyMutatedDocument, checkParsedDocument), { numRuns: 1_000 });
  });

  it('on a trace nested deeper than a stack', () => {
    const deep = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`) as Json;
    checkParsedDocument(deep);
    checkParsedDocument({
      messages: [
        { role: 'assistant', content: deep, tool_calls: [{ function: { name: 'f', arguments: deep } }] },
      ],
    });
    checkParsedDocument({ id: 'a', steps: [{ role: 'assistant', tool: 'f', args: deep, result: deep }] });
    checkParsedDocument({
      resourceSpans: [
        { scopeSpans: [{ spans: [{ attributes: [{ key: 'gen_ai.tool.name', value: deep }] }] }] },
      ],
    });
  });

  it('numbers the steps of its result consecutively', () => {
    for (const [, document] of formatSamples) {
      for (const { steps } of parseTrace(document, 'name').runs) {
        expect(steps.map(({ i }) => i)).toEqual(steps.map((_, index) => index));
      }
    }
  });
});
