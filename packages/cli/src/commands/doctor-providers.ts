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
export function checkProviders(env: NodeJS.ProcessEnv, configured: string): readonly DoctorCheck[] {
  // ollama and similar providers use the openai-compatible package.
  const required = knownProviders.get(configured)?.keyless === true ? 'openai-compatible' : configured;
  return [...providerPackages].map(([name, packageName]) => {
    const installed = checkPackage(packageName);
    const key = checkApiKey(name, env);
    const fixes = [installed.fix, key.fix].filter((fix) => fix !== null);
    return {
      name,
      needed: name === required,
      ok: fixes.length === 0,
      found: `${installed.found}, ${key.found}`,
      advice: fixes.length === 0 ? null : `To use ${name}: ${fixes.join(', ')}.`,
    };
  });
}

/** `fix` says how to provide what is missing; null if nothing is. */
type ProviderState = { readonly found: string; readonly fix: string | null };

function checkPackage(name: string): ProviderState {
  return isPackageInstalled(name)
    ? { found: `${name} is installed`, fix: null }
    : { found: `${name} is not installed`, fix: `npm install ${name}` };
}

function checkApiKey(name: string, env: NodeJS.ProcessEnv): ProviderState {
  const { keys = [], keyless = false } = knownProviders.get(name) ?? {};
  const key = keys.find((each) => (env[each] ?? '').trim() !== '');
  if (key !== undefined) return { found: `${key} is set`, fix: null };
  if (keyless) return { found: 'no API key needed', fix: null };
  return { found: 'no API key set', fix: `set ${keys[0] ?? 'its API key'}` };
}

function isPackageInstalled(packageName: string): boolean {
  try {
    return findPackageJSON(packageName, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
