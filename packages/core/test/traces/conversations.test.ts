import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import { detect } from '../../src/traces/detect.ts';
import { bare, readOne } from './read.ts';
import { openhandsSdkSample, otlpSample, tau2Sample } from './samples-of-benchmarks.ts';
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

type Errors = readonly [boolean | undefined, boolean | undefined];

/** The one run that every sample tells, with what the format knows of the two calls' success. */
function weatherSteps([first, second]: Errors): readonly object[] {
  return [
    { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
    {
      i: 1,
      role: 'assistant',
      text: 'I shall look.',
      tool: 'weather',
      args: { city: 'Ghent' },
      result: 'rain',
      ...told(first),
    },
    {
      i: 2,
      role: 'assistant',
      tool: 'weather',
      args: { city: 'Gent' },
      result: 'no such city',
      ...told(second),
    },
    { i: 3, role: 'assistant', text: 'It rains.' },
  ];
}

function told(error: boolean | undefined): object {
  return error === undefined ? {} : { error };
}

const flagged: Errors = [false, true];
const unflagged: Errors = [undefined, undefined];

const conversations: readonly (readonly [name: string, document: Json, errors: Errors])[] = [
  ['openai-chat', openaiChatSample, unflagged],
  ['openai-responses', openaiResponsesSample, unflagged],
  ['anthropic', anthropicSample, flagged],
  ['ai-sdk', aiSdkSample, flagged],
  ['ai-sdk', aiSdkPageSample, flagged],
  ['langchain', langchainSample, flagged],
  ['langchain', langchainDictSample, flagged],
  ['claude-code', claudeCodeSample, flagged],
  ['codex', codexSample, flagged],
  ['openhands', openhandsSdkSample, flagged],
  ['tau', tau2Sample, flagged],
  ['otlp', otlpSample, flagged],
];

describe('the same conversation in each format', () => {
  it.each(conversations)('reads as the same steps from %s', (name, document, errors) => {
    const format = detect(document);
    expect(format?.name).toBe(name);
    if (format === null) return;
    expect(bare(readOne(format, document).steps)).toEqual(weatherSteps(errors));
  });

  it.each(conversations)(
    'counts tokens for every step of the model, and none for the user (%s)',
    (_name, document) => {
      const format = detect(document);
      for (const run of format?.parse(document, 'name').runs ?? []) {
        for (const { role, tokens } of run.steps) {
          expect(tokens === undefined).toBe(role === 'user');
        }
      }
    },
  );
});
