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
  /** The AI SDK package, an optional peer. */
  readonly packageName: string;
  readonly open: (modelId: string, connection: ProviderConnection) => Promise<LanguageModelV4>;
};

const createCompatibleOpener =
  (name: string): KnownProvider['open'] =>
  (modelId, { baseURL, apiKey, fetch }) => {
    const key = apiKey === '' ? {} : { apiKey };
    return openPackagedModel('@ai-sdk/openai-compatible', {
      load: () => import('@ai-sdk/openai-compatible'),
      create: ({ createOpenAICompatible }) =>
        createOpenAICompatible?.({ name, baseURL, fetch, includeUsage: true, ...key })(modelId),
    });
  };

/** A server for local models on its default port. */
function createLocalProvider(name: string, port: number): KnownProvider {
  return {
    keys: ['PAWL_API_KEY'],
    keyless: true,
    baseUrlKeys: ['PAWL_BASE_URL'],
    baseUrl: `http://127.0.0.1:${port}/v1`,
    path: '/v1',
    packageName: '@ai-sdk/openai-compatible',
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
      packageName: '@ai-sdk/openai',
      open: (modelId, connection) =>
        openPackagedModel('@ai-sdk/openai', {
          load: () => import('@ai-sdk/openai'),
          create: ({ createOpenAI }) => createOpenAI?.(connection)(modelId),
        }),
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
      packageName: '@ai-sdk/anthropic',
      open: (modelId, connection) =>
        openPackagedModel('@ai-sdk/anthropic', {
          load: () => import('@ai-sdk/anthropic'),
          create: ({ createAnthropic }) => createAnthropic?.(connection)(modelId),
        }),
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
      packageName: '@ai-sdk/google',
      open: (modelId, connection) =>
        openPackagedModel('@ai-sdk/google', {
          load: () => import('@ai-sdk/google'),
          // Its name in every major version.
          create: ({ createGoogleGenerativeAI }) => createGoogleGenerativeAI?.(connection)(modelId),
        }),
    },
  ],
  ['openai-compatible', { ...createLocalProvider('openai-compatible', 0), baseUrl: null }],
  ['ollama', createLocalProvider('ollama', 11434)],
  ['lmstudio', createLocalProvider('lmstudio', 1234)],
  ['llamacpp', createLocalProvider('llamacpp', 8080)],
  ['vllm', createLocalProvider('vllm', 8000)],
]);

type PackagedModelOptions<Module> = {
  readonly load: () => Promise<Module>;
  /** Undefined if the installed version lacks the function. */
  readonly create: (module: Partial<Module>) => LanguageModelV4 | undefined;
};

/** Creates a model with a provider's package, whose installed version may be another one than Pawl supports. */
export async function openPackagedModel<Module extends object>(
  name: string,
  { load, create }: PackagedModelOptions<Module>,
): Promise<LanguageModelV4> {
  const model = create(await loadProviderPackage(name, load));
  const version: string = model?.specificationVersion ?? '';
  if (model !== undefined && (version === 'v3' || version === 'v4')) return model;
  const { formatInstallCommand } = await import('./provider-packages.ts');
  const message = `The installed version of ${name} is not supported. Install another with: ${formatInstallCommand(name)}`;
  throw new ModelSpecError('unsupported-package', message);
}

/** Loads a provider's package from beside Pawl, otherwise from the working folder, if the user trusts it. */
async function loadProviderPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingPackage(error, name)) throw error;
    const { loadProjectPackage } = await import('./provider-packages.ts');
    return loadProjectPackage<Module>(name, process.cwd());
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
  | 'untrusted-package'
  | 'unsupported-package'
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
