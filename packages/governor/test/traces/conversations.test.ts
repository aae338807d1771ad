import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { detectTraceFormat } from '../../src/traces/parse-trace.ts';
import { omitCostAndTime, parseSingleRun } from './parse-single-run.ts';
import { openhandsSdkSample, otlpSample, tau2Sample } from './benchmark-samples.ts';
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

type ExpectedErrors = readonly [boolean | undefined, boolean | undefined];

/** The one run that every sample tells, with what the format knows of the two calls' success. */
function createWeatherSteps([first, second]: ExpectedErrors): readonly object[] {
  return [
    { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
    {
      i: 1,
      role: 'assistant',
      text: 'I shall look.',
      tool: 'weather',
      args: { city: 'Ghent' },
      result: 'rain',
      ...createErrorField(first),
    },
    {
      i: 2,
      role: 'assistant',
      tool: 'weather',
      args: { city: 'Gent' },
      result: 'no such city',
      ...createErrorField(second),
    },
    { i: 3, role: 'assistant', text: 'It rains.' },
  ];
}

function createErrorField(error: boolean | undefined): object {
  return error === undefined ? {} : { error };
}

const flaggedErrors: ExpectedErrors = [false, true];
const unflaggedErrors: ExpectedErrors = [undefined, undefined];

const conversationSamples: readonly (readonly [name: string, document: Json, errors: ExpectedErrors])[] = [
  ['openai-chat', openaiChatSample, unflaggedErrors],
  ['openai-responses', openaiResponsesSample, unflaggedErrors],
  ['anthropic', anthropicSample, flaggedErrors],
  ['ai-sdk', aiSdkSample, flaggedErrors],
  ['ai-sdk', aiSdkPageSample, flaggedErrors],
  ['langchain', langchainSample, flaggedErrors],
  ['langchain', langchainDictSample, flaggedErrors],
  ['claude-code', claudeCodeSample, flaggedErrors],
  ['codex', codexSample, flaggedErrors],
  ['openhands', openhandsSdkSample, flaggedErrors],
  ['tau', tau2Sample, flaggedErrors],
  ['otlp', otlpSample, flaggedErrors],
];

describe('the same conversation in each format', () => {
  it.each(conversationSamples)('reads as the same steps from %s', (name, document, errors) => {
    const format = detectTraceFormat(document);
    expect(format?.name).toBe(name);
    if (format === null) return;
    expect(omitCostAndTime(parseSingleRun(format, document).steps)).toEqual(createWeatherSteps(errors));
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
