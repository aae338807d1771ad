import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelErrorKind } from '@pawl/core';
import { classifyModelError } from '../../../src/models/classify-error.ts';
import { collectModelFailure } from './collect-stream.ts';
import { startTestServer, streamHeaders } from '../../../../../scripts/testing/test-server.ts';
import { wireFormats } from './wire-formats.ts';
import { codePoint } from '../../../../core/test/helpers/code-point.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const classifyTestError = (error: unknown) => classifyModelError(error, { model: 'm', at: now });

const formatErrorBody = (message: string) =>
  JSON.stringify({ error: { message, type: 'error', code: null } });
const createApiError = (statusCode: number, message: string) =>
  Object.assign(new Error(message), { statusCode });

describe.each(wireFormats)('an error of $name', ({ open }) => {
  const failing = async (status: number, headers: Record<string, string>, body: string) => {
    const { url, received } = await startTestServer((response) => {
      response.writeHead(status, headers);
      response.end(body);
    });
    const error = await collectModelFailure(await open(url));
    // Trying again is the machine's business alone.
    expect(received).toHaveLength(1);
    return error;
  };

  it.each<[number, ModelErrorKind, boolean]>([
    [400, 'bad-request', false],
    [401, 'auth', false],
    [402, 'auth', false],
    [403, 'auth', false],
    [404, 'bad-request', false],
    [408, 'timeout', true],
    [413, 'context-overflow', false],
    [429, 'rate-limit', true],
    [500, 'overloaded', true],
    [502, 'overloaded', true],
    [503, 'overloaded', true],
    [504, 'timeout', true],
    [529, 'overloaded', true],
  ])('with status %i is of the kind %s', async (status, kind, isRetried) => {
    const error = await failing(
      status,
      { 'content-type': 'application/json' },
      formatErrorBody('Something.'),
    );
    expect(error.kind).toBe(kind);
    expect(error.retryable ?? true).toBe(isRetried);
    expect(error.message).toContain(`HTTP ${status}`);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['parts of a second', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '99' }, 1_234],
    [
      'a date, by the clock of the server',
      { date: 'Sun, 01 Mar 2026 12:00:00 GMT', 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' },
      30_000,
    ],
    ['a date that is over', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    ['a span', { 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [
      'the longest of the limits that are used up',
      {
        'x-ratelimit-reset-requests': '20ms',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '1h',
        'x-ratelimit-remaining-tokens': '17',
      },
      20,
    ],
    [
      'a time of day',
      { date: 'Sun, 01 Mar 2026 12:00:00 GMT', 'anthropic-ratelimit-requests-reset': '2026-03-01T12:01:00Z' },
      60_000,
    ],
    ['nothing', {}, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
    ['no number', { 'retry-after': 'NaN', 'retry-after-ms': '1e999' }, undefined],
  ])('that asks to wait with %s is waited for', async (_, headers, expected) => {
    const { kind, retryAfterMs } = await failing(429, headers, formatErrorBody('Slow down.'));
    expect(kind).toBe('rate-limit');
    expect(retryAfterMs).toBe(expected);
  });

  it('without a body or of an unknown kind is still classified', async () => {
    expect(await failing(500, {}, '')).toMatchObject({ kind: 'overloaded' });
    expect(await failing(418, {}, 'I am a teapot.')).toMatchObject({ kind: 'bad-request' });
  });
});

describe('an error inside a stream', () => {
  it('of Anthropic reports an overload', async () => {
    const anthropic = wireFormats.find(({ name }) => name === 'anthropic');
    const { url } = await startTestServer((response) => {
      response.writeHead(200, streamHeaders);
      const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
      response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
    });
    expect(await collectModelFailure(await (anthropic ?? expect.fail()).open(url))).toMatchObject({
      kind: 'overloaded',
    });
  });

  it('of OpenAI reports a context overflow', async () => {
    const openai = wireFormats.find(({ name }) => name === 'openai');
    const { url } = await startTestServer((response) => {
      response.writeHead(200, streamHeaders);
      const error = {
        type: 'error',
        sequence_number: 1,
        error: {
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
          message: 'Too long.',
          param: null,
        },
      };
      response.end(`data: ${JSON.stringify(error)}\n\n`);
    });
    expect(await collectModelFailure(await (openai ?? expect.fail()).open(url))).toMatchObject({
      kind: 'context-overflow',
    });
  });
});

describe('an error message', () => {
  it.each([
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    'input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length or `max_tokens`',
    'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
    'Trying to keep the first 4242 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    'length of prompt_tokens (163280) must be less than max_seq_len (32768).',
    'Requested tokens (612) exceed context window of 512',
  ])('that tell of no room are known: %s', (message) => {
    expect(classifyTestError(createApiError(400, message)).kind).toBe('context-overflow');
  });

  it.each<[ModelErrorKind, number, string]>([
    ['bad-request', 400, 'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens'],
    [
      'bad-request',
      400,
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected at most 40 characters.",
    ],
    ['rate-limit', 429, 'Too many tokens, please wait before trying again.'],
    [
      'context-overflow',
      429,
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.',
    ],
    ['auth', 400, 'API key not valid. Please pass a valid API key.'],
    ['auth', 400, 'Your credit balance is too low to access the API.'],
    ['auth', 429, 'You exceeded your current quota. insufficient_quota'],
    ['rate-limit', 429, 'You exceeded your current quota, please check your plan and billing details.'],
    ['refused', 403, 'This request goes against our usage policies.'],
    ['refused', 400, 'The response was filtered due to the prompt triggering the content management policy.'],
  ])('tell %s from the rest: %i %s', (kind, status, message) => {
    expect(classifyTestError(createApiError(status, message)).kind).toBe(kind);
  });

  it.each([
    ['"retryDelay": "34.5s"', 34_500],
    ['Rate limit reached. Please try again in 1m2.5s.', 62_500],
    ['Please try again in 20ms.', 20],
  ])('say how long to wait: %s', (words, expected) => {
    expect(
      classifyTestError({ statusCode: 429, message: 'Slow down.', responseBody: words }).retryAfterMs,
    ).toBe(expected);
  });

  it.each<[ModelErrorKind, boolean, string]>([
    ['network', true, 'ECONNRESET'],
    ['network', true, 'UND_ERR_SOCKET'],
    ['network', true, 'ENOTFOUND'],
    ['network', false, 'SELF_SIGNED_CERT_IN_CHAIN'],
    ['timeout', true, 'ETIMEDOUT'],
    ['timeout', true, 'UND_ERR_HEADERS_TIMEOUT'],
  ])('are of the kind %s when the system says so (%s): %s', (kind, isRetried, code) => {
    const wrapped = new TypeError('fetch failed', { cause: Object.assign(new Error('It broke.'), { code }) });
    const error = classifyTestError(wrapped);
    expect(error.kind).toBe(kind);
    expect(error.retryable ?? true).toBe(isRetried);
    expect(error.message).toContain('It broke.');
  });

  it('is one line of bounded length for any content', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ unit: codePoint }), (thrown, message) => {
        for (const error of [thrown, { message, cause: thrown }, new Error(message, { cause: thrown })]) {
          const { message: text } = classifyTestError(error);
          expect(text.length).toBeLessThan(800);
          expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        }
      }),
    );
  });

  it('handles circular causes', () => {
    const error: Error & { cause?: unknown } = new Error('Round and round.');
    error.cause = { error, errors: [error] };
    expect(classifyTestError(error)).toMatchObject({ kind: 'unknown' });
  });
});
