import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { loadPackage } from './load-package.ts';

/** What a provider's package is given. */
export type Connection = {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
};

/** A provider that can be named in front of a model. */
export type KnownProvider = {
  /** Where its key is looked for in the environment; the first that is set counts. */
  readonly keys: readonly string[];
  /** Whether it does without a key. */
  readonly keyless: boolean;
  /** Where its address may stand in the environment. */
  readonly baseUrlKeys: readonly string[];
  /** Its address unless another is given; null where there is none to assume. */
  readonly baseUrl: string | null;
  /** What is usual after the host. */
  readonly path: string;
  readonly providerOptions?: SharedV4ProviderOptions;
  readonly open: (modelId: string, connection: Connection) => Promise<LanguageModelV4>;
};

const openCompatible =
  (name: string) =>
  async (modelId: string, { baseURL, apiKey, fetch }: Connection): Promise<LanguageModelV4> => {
    const { createOpenAICompatible } = await loadPackage(
      '@ai-sdk/openai-compatible',
      () => import('@ai-sdk/openai-compatible'),
    );
    const key = apiKey === '' ? {} : { apiKey };
    return createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...key })(modelId);
  };

/** A server for local models at the port it uses if it is not told otherwise. */
function local(name: string, port: number): KnownProvider {
  return {
    keys: ['PAWL_API_KEY'],
    keyless: true,
    baseUrlKeys: ['PAWL_BASE_URL'],
    baseUrl: `http://127.0.0.1:${port}/v1`,
    path: '/v1',
    open: openCompatible(name),
  };
}

export const knownProviders: ReadonlyMap<string, KnownProvider> = new Map<string, KnownProvider>([
  [
    'openai',
    {
      keys: ['OPENAI_API_KEY'],
      keyless: false,
      baseUrlKeys: ['OPENAI_BASE_URL'],
      baseUrl: 'https://api.openai.com/v1',
      path: '/v1',
      // The conversation is ours to keep; nothing is to depend on what the provider has kept of it.
      providerOptions: { openai: { store: false } },
      async open(modelId, connection) {
        const { createOpenAI } = await loadPackage('@ai-sdk/openai', () => import('@ai-sdk/openai'));
        return createOpenAI(connection)(modelId);
      },
    },
  ],
  [
    'anthropic',
    {
      keys: ['ANTHROPIC_API_KEY'],
      keyless: false,
      baseUrlKeys: ['ANTHROPIC_BASE_URL'],
      baseUrl: 'https://api.anthropic.com/v1',
      path: '/v1',
      async open(modelId, connection) {
        const { createAnthropic } = await loadPackage('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'));
        return createAnthropic(connection)(modelId);
      },
    },
  ],
  [
    'google',
    {
      keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      keyless: false,
      baseUrlKeys: ['GOOGLE_BASE_URL'],
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      path: '/v1beta',
      async open(modelId, connection) {
        const { createGoogle } = await loadPackage('@ai-sdk/google', () => import('@ai-sdk/google'));
        return createGoogle(connection)(modelId);
      },
    },
  ],
  ['openai-compatible', { ...local('openai-compatible', 0), baseUrl: null }],
  ['ollama', local('ollama', 11434)],
  ['lmstudio', local('lmstudio', 1234)],
  ['llamacpp', local('llamacpp', 8080)],
  ['vllm', local('vllm', 8000)],
]);
