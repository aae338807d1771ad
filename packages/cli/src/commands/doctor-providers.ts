import { findPackageJSON } from 'node:module';
import { knownProviders } from '@pawl/runtime';
import type { DoctorCheck } from './doctor-check.ts';

/** The package of each provider; the providers for self-hosted servers share one. */
const providerPackages: ReadonlyMap<string, string> = new Map([
  ['openai', '@ai-sdk/openai'],
  ['anthropic', '@ai-sdk/anthropic'],
  ['google', '@ai-sdk/google'],
  ['openai-compatible', '@ai-sdk/openai-compatible'],
]);

/** Checks each provider's package and API key; only the name of the key's variable is ever shown. */
export function checkProviders(env: NodeJS.ProcessEnv, used: string): readonly DoctorCheck[] {
  // ollama and similar providers use the openai-compatible package.
  const needed = knownProviders.get(used)?.keyless === true ? 'openai-compatible' : used;
  return [...providerPackages].map(([name, packageName]) => {
    const code = checkPackage(packageName);
    const key = checkApiKey(name, env);
    const lacks = [code.lacks, key.lacks].filter((each) => each !== null);
    return {
      name,
      needed: name === needed,
      ok: lacks.length === 0,
      found: `${code.found}, ${key.found}`,
      advice: lacks.length === 0 ? null : `To use ${name}: ${lacks.join(', ')}.`,
    };
  });
}

/** What was found, and how to fix what is missing; null if nothing is. */
type ProviderState = { readonly found: string; readonly lacks: string | null };

function checkPackage(name: string): ProviderState {
  return isPackageInstalled(name)
    ? { found: `${name} is installed`, lacks: null }
    : { found: `${name} is not installed`, lacks: `npm install ${name}` };
}

function checkApiKey(name: string, env: NodeJS.ProcessEnv): ProviderState {
  const { keys = [], keyless = false } = knownProviders.get(name) ?? {};
  const key = keys.find((each) => (env[each] ?? '').trim() !== '');
  if (key !== undefined) return { found: `${key} is set`, lacks: null };
  if (keyless) return { found: 'no key is needed', lacks: null };
  return { found: 'no key is set', lacks: `set ${keys[0] ?? 'its key'}` };
}

function isPackageInstalled(packageName: string): boolean {
  try {
    return findPackageJSON(packageName, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
