import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { detectTraceFormat } from '../../src/traces/parse-trace.ts';
import { parseSingleRun, readSteps } from './parse-single-run.ts';
import { openhandsSdkSample, otlpSample, tau2Sample } from './benchmark-samples.ts';
import {
  ag2Sample,
  inspectAiSample,
  moatlessSample,
  openInferenceSample,
  openInferenceTreeSample,
} from './framework-samples.ts';
import { cochiseSample, codeRepairLabSample } from './study-samples.ts';
import {
  aiSdkPageSample,
  aiSdkSample,
  anthropicSample,
  claudeCodeSample,
  codexSample,
  langchainDictSample,
  langchainSample,
  openaiChatSample,
  openaiResponsesSample,
} from './samples.ts';

/** The one run that every sample tells. Only some formats know that the second call failed. */
function createWeatherSteps(isMarked: boolean): readonly object[] {
  return [
    { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
    {
      i: 1,
      role: 'assistant',
      text: 'I shall look.',
      tool: 'weather',
      args: { city: 'Ghent' },
      result: 'rain',
      status: 'succeeded',
    },
    {
      i: 2,
      role: 'assistant',
      tool: 'weather',
      args: { city: 'Gent' },
      result: 'no such city',
      status: isMarked ? 'failed' : 'succeeded',
    },
    { i: 3, role: 'assistant', text: 'It rains.' },
  ];
}

const conversationSamples: readonly (readonly [name: string, document: Json, isMarked: boolean])[] = [
  ['openai-chat', openaiChatSample, false],
  ['openai-responses', openaiResponsesSample, false],
  ['anthropic', anthropicSample, true],
  ['ai-sdk', aiSdkSample, true],
  ['ai-sdk', aiSdkPageSample, true],
  ['langchain', langchainSample, true],
  ['langchain', langchainDictSample, true],
  ['claude-code', claudeCodeSample, true],
  ['codex', codexSample, true],
  ['openhands', openhandsSdkSample, true],
  ['tau', tau2Sample, true],
  ['otlp', otlpSample, true],
  ['inspect-ai', inspectAiSample, true],
  ['moatless', moatlessSample, true],
  ['autogen', ag2Sample, false],
  ['cochise', cochiseSample, false],
  ['code-repair-lab', codeRepairLabSample, true],
  ['openinference', openInferenceSample, true],
  ['openinference', openInferenceTreeSample, true],
];

describe('the same conversation in each format', () => {
  it.each(conversationSamples)('reads as the same steps from %s', (name, document, isMarked) => {
    const format = detectTraceFormat(document);
    expect(format?.name).toBe(name);
    if (format === null) return;
    expect(readSteps(parseSingleRun(format, document).steps)).toEqual(createWeatherSteps(isMarked));
  });

  it.each(conversationSamples)(
    'counts tokens for every step of the model, and none for the user (%s)',
    (_name, document) => {
      const format = detectTraceFormat(document);
      for (const run of format?.parse(document, 'name').runs ?? []) {
        for (const { role, tokens } of run.steps) {
          expect(tokens === undefined).toBe(role === 'user');
        }
      }
    },
  );
});
