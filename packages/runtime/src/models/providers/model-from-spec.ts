import { tryParseJson } from '../../protocols/json-reader.ts';
import * as z from 'zod';
import { findNearestName } from '../../text/nearest-name.ts';
import { toPrintableLine } from '../../text/one-line.ts';
import { resolveModelLimits, type ModelLimits } from '../deadlines.ts';
import { createLibrarian } from '../librarian.ts';
import type { Model, ModelServer } from '../model.ts';
import type { ModelPrices } from '../prices.ts';
import { createScriptedModel, type ScriptedReply } from '../scripted.ts';
import { createAiSdkModel, type AiSdkModelOptions } from './ai-sdk-model.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { knownProviders, ModelSpecError, type KnownProvider } from './known-providers.ts';
import { readSmallFile } from '../../data-files/small-file.ts';
import { modelErrorSchema, requestedCallSchema } from '../../schema/parts.ts';
import type { EnvironmentVariables } from '../../platform/platform.ts';

export type NamedModelOptions = Pick<
  AiSdkModelOptions,
  'protocol' | 'maxOutputTokens' | 'temperature' | 'providerOptions'
> & {
  /** Replaces the provider's default base URL. */
  readonly baseUrl?: string;
  readonly prices?: ModelPrices;
  readonly limits?: Partial<ModelLimits>;
};

/**
 * Creates a model from a spec: `librarian`, `scripted:FILE` or `PROVIDER:MODEL`. Throws a `ModelSpecError` that says
 * what is wrong and how to fix it.
 */
export async function createModelFromSpec(
  spec: string,
  environment: EnvironmentVariables,
  options: NamedModelOptions = {},
): Promise<Model> {
  const { kind, name, provider } = parseModelSpec(spec);
  if (provider !== null) return createProviderModel({ kind, provider, modelId: name }, environment, options);
  return kind === 'librarian' ? createLibrarian() : createScriptedModel(await readScriptFile(name));
}

/** The parts of a spec; without a provider, it is the librarian or a script. */
type ParsedModelSpec = {
  readonly kind: string;
  /** Of the model, or of the file of a script. */
  readonly name: string;
  readonly provider: KnownProvider | null;
};

/** Throws a `ModelSpecError` if there is no such model, without creating it: keys, files and addresses are not checked. */
export function parseModelSpec(spec: string): ParsedModelSpec {
  const { kind, rest } = splitModelSpec(spec);
  if (kind === 'librarian' && rest === null) return { kind, name: kind, provider: null };
  if (kind === 'scripted') return { kind, name: requireSpecName(kind, rest, 'FILE'), provider: null };
  const provider = knownProviders.get(kind);
  if (provider === undefined) throw createUnknownSpecError(spec, kind);
  return { kind, name: requireSpecName(kind, rest, 'MODEL'), provider };
}

/** The supported forms of a spec, for help texts. */
export const modelSpecs: readonly string[] = [
  'librarian',
  ...[...knownProviders.keys()].map((name) => `${name}:MODEL`),
  'scripted:FILE',
];

/** Splits at the first colon only, because model names may contain colons, as in `ollama:qwen3:8b`. */
function splitModelSpec(spec: string): { readonly kind: string; readonly rest: string | null } {
  const trimmed = spec.trim();
  const colon = trimmed.indexOf(':');
  if (colon === -1) return { kind: trimmed.toLowerCase(), rest: null };
  return { kind: trimmed.slice(0, colon).trim().toLowerCase(), rest: trimmed.slice(colon + 1).trim() };
}

function requireSpecName(kind: string, rest: string | null, placeholder: 'MODEL' | 'FILE'): string {
  if (rest !== null && rest !== '') return rest;
  const subject = placeholder === 'MODEL' ? 'a model name' : 'a file name';
  throw new ModelSpecError('missing-name', `${kind} requires ${subject}. Write ${kind}:${placeholder}.`);
}

function createUnknownSpecError(spec: string, kind: string): ModelSpecError {
  const kinds = ['librarian', ...knownProviders.keys(), 'scripted'];
  const nearest = findNearestName(kind, kinds, Math.max(1, Math.floor(kind.length / 3)));
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const shown = toPrintableLine(JSON.stringify(spec), 80);
  return new ModelSpecError(
    'unknown',
    `Unknown model ${shown}.${hint} A model is one of: ${modelSpecs.join(', ')}.`,
  );
}

type ProviderModelSpec = {
  readonly kind: string;
  readonly provider: KnownProvider;
  readonly modelId: string;
};

async function createProviderModel(
  { kind, provider, modelId }: ProviderModelSpec,
  environment: EnvironmentVariables,
  options: NamedModelOptions,
): Promise<Model> {
  const { baseUrl, providerOptions, ...rest } = options;
  const limits = resolveModelLimits(options.limits ?? {});
  const apiKey = findApiKey(kind, provider, environment);
  const connection = {
    baseURL: resolveBaseUrl(kind, provider, { environment, baseUrl }),
    apiKey,
    fetch: createGuardedFetch(limits.wireBytesMax),
  };
  const model = await provider.open(modelId, connection);
  return createAiSdkModel(model, {
    ...rest,
    name: `${kind}:${toPrintableLine(modelId, 100)}`,
    server: parseModelServer(connection.baseURL),
    limits,
    providerOptions: { ...provider.providerOptions, ...providerOptions },
    secrets: [apiKey],
  });
}

function findApiKey(
  kind: string,
  { keys, keyless }: KnownProvider,
  environment: EnvironmentVariables,
): string {
  const key = findFirstVariable(keys, environment)?.value ?? '';
  if (key === '' && !keyless) {
    const message = `${kind} needs an API key. Set ${keys[0] ?? ''} in the environment, or use a model without a key: librarian, ollama:MODEL.`;
    throw new ModelSpecError('missing-key', message);
  }
  // Line breaks and non-ASCII characters are invalid in a header, and the resulting error would reveal the key.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    const message = `The API key in ${findFirstVariable(keys, environment)?.name ?? ''} contains invalid characters. Copy it again.`;
    throw new ModelSpecError('missing-key', message);
  }
  return key;
}

function resolveBaseUrl(
  kind: string,
  { baseUrl: defaultUrl, baseUrlKeys, path }: KnownProvider,
  {
    environment,
    baseUrl,
  }: { readonly environment: EnvironmentVariables; readonly baseUrl: string | undefined },
): string {
  if (baseUrl !== undefined) return parseBaseUrl(baseUrl, { source: 'The base URL', path });
  const variable = findFirstVariable(baseUrlKeys, environment);
  if (variable !== undefined) return parseBaseUrl(variable.value, { source: variable.name, path });
  if (defaultUrl !== null) return defaultUrl;
  const message = `${kind} needs a base URL. Pass one, or set ${baseUrlKeys[0] ?? ''} in the environment.`;
  throw new ModelSpecError('missing-base-url', message);
}

function parseModelServer(baseUrl: string): ModelServer {
  const { protocol, hostname, port } = new URL(baseUrl);
  const defaultPort = protocol === 'http:' ? 80 : 443;
  // A URL has brackets around an IPv6 address, which are not part of the address.
  return { address: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
}

function findFirstVariable(
  names: readonly string[],
  environment: EnvironmentVariables,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return undefined;
}

/**
 * Parses a base URL and removes trailing slashes. A URL without a path gets the provider's default path. Error messages
 * never contain the URL, because it may contain a password.
 */
function parseBaseUrl(
  text: string,
  { source, path }: { readonly source: string; readonly path: string },
): string {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const example = `http://127.0.0.1:11434${path}`;
    throw new ModelSpecError('bad-base-url', `${source} must be a URL such as ${example}.`);
  }
  if (url.username !== '' || url.password !== '') {
    const message = `${source} contains a user name or a password, which is not sent. Set the API key in the environment instead.`;
    throw new ModelSpecError('bad-base-url', message);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ModelSpecError(
      'bad-base-url',
      `${source} must not contain a query or a fragment. Remove ? or # and what follows.`,
    );
  }
  const ownPath = url.pathname.replace(/\/{1,9}$/, '');
  return `${url.origin}${ownPath === '' ? path : ownPath}`;
}

const scriptBytesMax = 16 * 1024 * 1024;

const scriptedReplySchema = z.union([
  z.strictObject({ failure: modelErrorSchema }),
  z.strictObject({ text: z.exactOptional(z.string()), calls: z.exactOptional(z.array(requestedCallSchema)) }),
]);

/** Reads scripted replies from a file: a JSON array, or one reply per line. */
async function readScriptFile(path: string): Promise<readonly ScriptedReply[]> {
  const shownPath = toPrintableLine(JSON.stringify(path), 200);
  const file = await readSmallFile(path, scriptBytesMax);
  if (!file.ok) throw new ModelSpecError('script', `${shownPath}: ${file.problem}`, { cause: file.cause });
  return listReplies(file.text).map(({ value, location }) => {
    const parsed = scriptedReplySchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const expected =
      '{"text": "…", "calls": [{"tool": "…", "args": {…}}]} or {"failure": {"kind": "…", "message": "…"}}';
    throw new ModelSpecError('script', `${shownPath}, ${location}: invalid reply. Expected ${expected}.`);
  });

  function listReplies(text: string): readonly { readonly value: unknown; readonly location: string }[] {
    const whole = tryParseJson(text);
    if (Array.isArray(whole))
      return whole.map((value: unknown, index) => ({ value, location: `reply ${index + 1}` }));
    return text.split('\n').flatMap((line, index) => {
      if (line.trim() === '') return [];
      const value = tryParseJson(line);
      const location = `line ${index + 1}`;
      if (value !== undefined) return [{ value, location }];
      const problem = 'invalid JSON. Write an array of replies, or one reply per line.';
      throw new ModelSpecError('script', `${shownPath}, ${location}: ${problem}`);
    });
  }
}
