import { nearest } from '../../nearest.ts';
import { oneLine } from '../../schema/one-line.ts';
import { limitsWith, type ModelLimits } from '../deadlines.ts';
import { createLibrarian } from '../librarian.ts';
import type { Model } from '../model.ts';
import type { Prices } from '../prices.ts';
import { createScripted } from '../scripted.ts';
import { createAiSdkModel, type AiSdkModelOptions } from './ai-sdk-model.ts';
import { baseUrlFrom } from './base-url.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { knownProviders, type KnownProvider } from './known-providers.ts';
import { ModelSpecError } from './model-spec-error.ts';
import { readScript } from './scripted-file.ts';

/** Such as `process.env`. Keys are taken from nowhere else. */
export type Environment = { readonly [name: string]: string | undefined };

export type NamedModelOptions = Pick<
  AiSdkModelOptions,
  'protocol' | 'maxOutputTokens' | 'temperature' | 'providerOptions'
> & {
  /** In place of the provider's own address. */
  readonly baseUrl?: string;
  readonly prices?: Prices;
  readonly limits?: Partial<ModelLimits>;
};

/**
 * The model that a text names: `librarian`, `scripted:FILE`, or `PROVIDER:MODEL`. Throws one `ModelSpecError` that says what
 * is wrong and what to do about it.
 */
export async function modelNamed(
  spec: string,
  environment: Environment,
  options: NamedModelOptions = {},
): Promise<Model> {
  const { kind, rest } = parted(spec);
  if (kind === 'librarian' && rest === null) return createLibrarian();
  if (kind === 'scripted') return createScripted(await readScript(named(kind, rest, 'FILE')));
  const provider = knownProviders.get(kind);
  if (provider === undefined) throw unknownSpec(spec, kind);
  return providedModel({ kind, provider, modelId: named(kind, rest, 'MODEL') }, environment, options);
}

/** The forms a name can take, for help texts. */
export const modelSpecs: readonly string[] = [
  'librarian',
  ...[...knownProviders.keys()].map((name) => `${name}:MODEL`),
  'scripted:FILE',
];

/** Names of models have colons in them, as in `ollama:qwen3:8b`; only the first one counts. */
function parted(spec: string): { readonly kind: string; readonly rest: string | null } {
  const trimmed = spec.trim();
  const colon = trimmed.indexOf(':');
  if (colon === -1) return { kind: trimmed.toLowerCase(), rest: null };
  return { kind: trimmed.slice(0, colon).trim().toLowerCase(), rest: trimmed.slice(colon + 1).trim() };
}

function named(kind: string, rest: string | null, what: 'MODEL' | 'FILE'): string {
  if (rest !== null && rest !== '') return rest;
  const which = what === 'MODEL' ? 'which model' : 'which file';
  throw new ModelSpecError('missing-name', `${kind} alone does not say ${which}. Write ${kind}:${what}.`);
}

function unknownSpec(spec: string, kind: string): ModelSpecError {
  const kinds = ['librarian', ...knownProviders.keys(), 'scripted'];
  const near = nearest(kind, kinds, Math.max(1, Math.floor(kind.length / 3)));
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  const shown = oneLine(JSON.stringify(spec), 80);
  return new ModelSpecError(
    'unknown',
    `There is no model ${shown}.${hint} A model is one of: ${modelSpecs.join(', ')}.`,
  );
}

type Wanted = { readonly kind: string; readonly provider: KnownProvider; readonly modelId: string };

async function providedModel(
  { kind, provider, modelId }: Wanted,
  environment: Environment,
  options: NamedModelOptions,
): Promise<Model> {
  const { baseUrl, providerOptions, ...rest } = options;
  const limits = limitsWith(options.limits ?? {});
  const apiKey = keyFor(kind, provider, environment);
  const connection = {
    baseURL: addressFor(kind, provider, { environment, baseUrl }),
    apiKey,
    fetch: guardedFetch(limits.wireBytesMax),
  };
  const model = await provider.open(modelId, connection);
  return createAiSdkModel(model, {
    ...rest,
    name: `${kind}:${oneLine(modelId, 100)}`,
    limits,
    providerOptions: { ...provider.providerOptions, ...providerOptions },
    secrets: [apiKey],
  });
}

function keyFor(kind: string, { keys, keyless }: KnownProvider, environment: Environment): string {
  const key = firstSet(keys, environment)?.value ?? '';
  if (key === '' && !keyless) {
    const message = `${kind} needs a key. Set ${keys[0] ?? ''} in the environment, or use a model that needs none: librarian, ollama:MODEL.`;
    throw new ModelSpecError('missing-key', message);
  }
  // A line break or a letter outside ASCII cannot stand in a header; the error would show the key.
  if (!/^[\x21-\x7e]*$/.test(key)) {
    const message = `The key in ${firstSet(keys, environment)?.name ?? ''} has characters that no key has. Copy it again.`;
    throw new ModelSpecError('missing-key', message);
  }
  return key;
}

function addressFor(
  kind: string,
  { baseUrl: usual, baseUrlKeys, path }: KnownProvider,
  { environment, baseUrl }: { readonly environment: Environment; readonly baseUrl: string | undefined },
): string {
  if (baseUrl !== undefined) return baseUrlFrom(baseUrl, { from: 'The base URL', path });
  const set = firstSet(baseUrlKeys, environment);
  if (set !== undefined) return baseUrlFrom(set.value, { from: set.name, path });
  if (usual !== null) return usual;
  const message = `${kind} needs the address of the server: give a base URL, or set ${baseUrlKeys[0] ?? ''} in the environment.`;
  throw new ModelSpecError('missing-base-url', message);
}

function firstSet(
  names: readonly string[],
  environment: Environment,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return undefined;
}
