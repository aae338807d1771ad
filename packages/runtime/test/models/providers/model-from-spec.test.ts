import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPackagedModel, ModelSpecError } from '../../../src/models/providers/known-providers.ts';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { repositoryRoot } from '../../../../../scripts/source-files.ts';
import { createModelFromSpec, modelSpecs } from '../../../src/models/providers/model-from-spec.ts';
import { redactSecrets } from '../../../src/data-files/secrets.ts';
import {
  createTextRequest,
  collectModelFailure,
  collectModelStream,
  collectModelReply,
} from './collect-stream.ts';
import { sendEvents, startTestServer } from '../../../../../scripts/testing/test-server.ts';
import { testEnvironment, wireFormats } from './wire-formats.ts';

const chatWire = wireFormats.find(({ name }) => name === 'openai-compatible') ?? expect.fail();

async function getSpecError(...given: Parameters<typeof createModelFromSpec>): Promise<ModelSpecError> {
  const error = await createModelFromSpec(...given).catch((thrown: unknown) => thrown);
  if (!(error instanceof ModelSpecError)) throw new Error('It was not refused.', { cause: error });
  expect(error.message).not.toContain('\n');
  return error;
}

describe('a model from a spec', () => {
  it('is the librarian without network access and API key', async () => {
    expect((await createModelFromSpec('librarian', {})).name).toBe('librarian');
  });

  it.each(['openai', 'anthropic', 'google', 'ollama', 'lmstudio', 'llamacpp', 'vllm'])(
    'is one of %s',
    async (provider) => {
      expect((await createModelFromSpec(` ${provider}:some-model:8b `, testEnvironment)).name).toBe(
        `${provider}:some-model:8b`,
      );
    },
  );

  it('reaches a local model server by its base URL, with or without a path and a key', async () => {
    const { url, received } = await startTestServer((response) =>
      sendEvents(response, chatWire.events({ text: ['Hello.'] })),
    );
    const spec = 'openai-compatible:qwen3:8b';
    const models = [
      await createModelFromSpec(spec, {}, { baseUrl: url }),
      await createModelFromSpec(spec, {}, { baseUrl: `${url}/v1/` }),
      await createModelFromSpec(spec, { PAWL_BASE_URL: url, PAWL_API_KEY: 'a-local-key' }),
      await createModelFromSpec('ollama:qwen3:8b', { PAWL_BASE_URL: `${url}/other/path` }),
    ];
    for (const model of models) expect((await collectModelReply(model)).text).toBe('Hello.');
    expect(received.map((one) => one.url)).toEqual([
      ...Array<string>(3).fill('/v1/chat/completions'),
      '/other/path/chat/completions',
    ]);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      'Bearer a-local-key',
      undefined,
    ]);
    expect(received[0]?.body).toMatchObject({ model: 'qwen3:8b', stream: true });
  });

  it('reads keys and base URLs from the given environment, not from the process', async () => {
    const { url, received } = await startTestServer((response) => response.writeHead(404).end());
    const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
    const before = names.map((name) => process.env[name]);
    onTestFinished(() => {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
    });
    process.env['OPENAI_API_KEY'] = 'key-of-the-process';
    process.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:1/';
    await collectModelFailure(
      await createModelFromSpec('openai:m', { OPENAI_API_KEY: 'key-that-is-given', OPENAI_BASE_URL: url }),
    );
    expect(received[0]?.headers.authorization).toBe('Bearer key-that-is-given');
    expect(await getSpecError('openai:m', {})).toMatchObject({ code: 'missing-key' });
  });

  it.each([
    ['', 'unknown', 'Unknown model ""'],
    ['opanai:gpt', 'unknown', 'Did you mean openai?'],
    ['claude', 'unknown', modelSpecs.join(', ')],
    ['librarian:x', 'unknown', 'Unknown model "librarian:x"'],
    ['openai', 'missing-name', 'Write openai:MODEL.'],
    ['google: ', 'missing-name', 'Write google:MODEL.'],
    ['scripted', 'missing-name', 'Write scripted:FILE.'],
    ['anthropic:claude', 'missing-key', 'Set ANTHROPIC_API_KEY in the environment'],
    ['openai-compatible:m', 'missing-base-url', 'set PAWL_BASE_URL in the environment'],
    ['__proto__:x', 'unknown', 'Unknown model'],
  ])('that is incomplete or unknown is rejected: %s', async (spec, code, says) => {
    const error = await getSpecError(spec, {});
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(says);
  });

  it.each([
    'localhost:11434',
    'ftp://127.0.0.1',
    'http://',
    'http://name:password@127.0.0.1',
    'http://127.0.0.1/v1?key=password',
    'password',
  ])('with an invalid base URL is rejected without repeating it: %s', async (baseUrl) => {
    const error = await getSpecError('ollama:m', {}, { baseUrl });
    expect(error).toMatchObject({ code: 'bad-base-url' });
    expect(error.message).not.toContain('password@');
    expect(error.message).not.toContain('key=password');
  });

  it('with an invalid API key is rejected without repeating it', async () => {
    const error = await getSpecError('openai:m', { OPENAI_API_KEY: 'first-half\nsecond-half' });
    expect(error.message).toContain('OPENAI_API_KEY');
    expect(error.message).not.toContain('half');
  });

  it('with invalid limits or prices is rejected', async () => {
    await expect(createModelFromSpec('ollama:m', {}, { limits: { idleMs: 0 } })).rejects.toThrow('idleMs');
    await expect(createModelFromSpec('ollama:m', {}, { limits: { totalMs: 2 ** 31 } })).rejects.toThrow(
      'totalMs',
    );
    const prices = { inputPerMillion: Number.NaN, outputPerMillion: 1 };
    await expect(createModelFromSpec('ollama:m', {}, { prices })).rejects.toThrow('inputPerMillion');
  });

  it('of a missing package reports how to install it', async () => {
    const name = '@pawl/no-such-provider';
    const load = (): Promise<object> => import(/* @vite-ignore */ name);
    const loading = openPackagedModel(name, { load, create: () => undefined });
    // A path with spaces is quoted.
    const folder = /^[\w./\\:-]+$/.test(repositoryRoot) ? repositoryRoot : JSON.stringify(repositoryRoot);
    await expect(loading).rejects.toThrow(
      `The package ${name} is not installed. Install it with: npm install --prefix ${folder}`,
    );
    const broken = openPackagedModel('@ai-sdk/openai', {
      load: () => Promise.reject<object>(new Error('It is broken.')),
      create: () => undefined,
    });
    await expect(broken).rejects.toThrow('It is broken.');
  });

  it('of a package of another version reports how to install a supported one', async () => {
    const old = { specificationVersion: 'v2' } as object as LanguageModelV4;
    for (const model of [undefined, old]) {
      await expect(
        openPackagedModel('@ai-sdk/openai', { load: async () => ({}), create: () => model }),
      ).rejects.toThrow(
        /^The installed version of @ai-sdk\/openai is not supported\. Install another with: npm install /,
      );
    }
  });
});

describe('a script', () => {
  const replies = [
    { text: 'I look.', calls: [{ tool: 'read', args: { path: 'a.md' } }] },
    { failure: { kind: 'overloaded', message: 'Busy.', retryAfterMs: 5 } },
  ];

  it.each([
    ['a list', JSON.stringify(replies, null, 2)],
    ['lines', `${replies.map((reply) => JSON.stringify(reply)).join('\n\n')}\n`],
  ])('is played reply by reply, from %s', async (_, content) => {
    const model = await createModelFromSpec(createScriptSpec(content), {});
    expect((await collectModelStream(model)).last).toMatchObject({
      text: 'I look.',
      calls: replies[0]?.calls,
    });
    expect(await collectModelFailure(model, createTextRequest('And?'))).toEqual(replies[1]?.failure);
    expect(await collectModelFailure(model)).toMatchObject({ kind: 'bad-request' });
  });

  it.each([
    ['{"text": "Hello."}\n{"text": ', 'line 2: invalid JSON'],
    ['{"text": "Hello."}\n{"say": "Hello."}', 'line 2: invalid reply'],
    ['[{"text": "Hello."}, {"failure": {"kind": "tired", "message": "No."}}]', 'reply 2: invalid reply'],
    ['[{"calls": [{"tool": 7}]}]', 'reply 1: invalid reply'],
  ])('with an error is rejected with its location', async (content, says) => {
    const error = await getSpecError(createScriptSpec(content), {});
    expect(error).toMatchObject({ code: 'script' });
    expect(error.message).toContain(says);
  });

  it('that does not exist is rejected', async () => {
    expect(await getSpecError(`scripted:${join(tmpdir(), 'no such script')}`, {})).toMatchObject({
      code: 'script',
    });
  });
});

describe('secrets', () => {
  it('are redacted everywhere', () => {
    const secret = fc.stringMatching(/^[!-~]{6,40}$/);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
        fc.pre(!'[key]'.includes(key));
        expect(redactSecrets(`${before}${key}${after}`, [key])).not.toContain(key);
      }),
    );
  });

  it('are recognized by their shape', () => {
    const text =
      'sk-proj-abcdefgh12345 AIzaSyA1234567890 Bearer abc.def.ghi ?key=topsecret&x=1 x-api-key: topsecret';
    expect(redactSecrets(text, [])).toBe('[key] [key] Bearer [key] ?key=[key]&x=1 x-api-key: [key]');
    expect(redactSecrets('Keys are kept under lock and key.', [])).toBe('Keys are kept under lock and key.');
  });
});

/** The name of a model that plays a file with this in it. */
function createScriptSpec(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'script.jsonl');
  writeFileSync(file, content);
  return `scripted:${file}`;
}
