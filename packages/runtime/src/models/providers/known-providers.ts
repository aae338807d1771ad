import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';

/** Connection settings passed to a provider's package. */
export type ProviderConnection = {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
};

/** A provider that can prefix a model spec. */
export type KnownProvider = {
  /** Environment variables for the API key; the first one that is set applies. */
  readonly keys: readonly string[];
  /** Whether it works without an API key. */
  readonly keyless: boolean;
  /** Environment variables for the base URL. */
  readonly baseUrlKeys: readonly string[];
  /** Default base URL; null if there is none. */
  readonly baseUrl: string | null;
  /** Default path after the host. */
  readonly path: string;
  readonly providerOptions?: SharedV4ProviderOptions;
  readonly open: (modelId: string, connection: ProviderConnection) => Promise<LanguageModelV4>;
};

const createCompatibleOpener =
  (name: string) =>
  async (modelId: string, { baseURL, apiKey, fetch }: ProviderConnection): Promise<LanguageModelV4> => {
    const { createOpenAICompatible } = await loadProviderPackage(
      '@ai-sdk/openai-compatible',
      () => import('@ai-sdk/openai-compatible'),
    );
    const key = apiKey === '' ? {} : { apiKey };
    return createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...key })(modelId);
  };

/** A server for local models on its default port. */
function createLocalProvider(name: string, port: number): KnownProvider {
  return {
    keys: ['PAWL_API_KEY'],
    keyless: true,
    baseUrlKeys: ['PAWL_BASE_URL'],
    baseUrl: `http://127.0.0.1:${port}/v1`,
    path: '/v1',
    open: createCompatibleOpener(name),
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
      // The conversation is managed here; nothing may depend on state stored by the provider.
      providerOptions: { openai: { store: false } },
      async open(modelId, connection) {
        const { createOpenAI } = await loadProviderPackage('@ai-sdk/openai', () => import('@ai-sdk/openai'));
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
        const { createAnthropic } = await loadProviderPackage(
          '@ai-sdk/anthropic',
          () => import('@ai-sdk/anthropic'),
        );
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
        const { createGoogle } = await loadProviderPackage('@ai-sdk/google', () => import('@ai-sdk/google'));
        return createGoogle(connection)(modelId);
      },
    },
  ],
  ['openai-compatible', { ...createLocalProvider('openai-compatible', 0), baseUrl: null }],
  ['ollama', createLocalProvider('ollama', 11434)],
  ['lmstudio', createLocalProvider('lmstudio', 1234)],
  ['llamacpp', createLocalProvider('llamacpp', 8080)],
  ['vllm', createLocalProvider('vllm', 8000)],
]);

/** Loads a provider's package, which is an optional dependency. */
export async function loadProviderPackage<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingPackage(error, name)) throw error;
    const message = `The package ${name} is not installed. Install it with: npm install ${name}`;
    throw new ModelSpecError('missing-package', message, { cause: error });
  }
}

/** Whether this package is missing, rather than one of its dependencies. */
function isMissingPackage(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
}

export type ModelSpecErrorCode =
  | 'unknown'
  | 'missing-name'
  | 'missing-key'
  | 'missing-package'
  | 'missing-base-url'
  | 'bad-base-url'
  | 'script';

/** A model spec cannot be resolved. The one-line message gives the problem and the fix. */
export class ModelSpecError extends Error {
  override readonly name = 'ModelSpecError';
  readonly code: ModelSpecErrorCode;

  constructor(code: ModelSpecErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
