import { findPackageJSON } from 'node:module';
import { knownProviders } from '@pawl/runtime';
import type { Check } from './doctor-check.ts';

/** Which package speaks to which provider. Those for servers of one's own share one. */
const packages: ReadonlyMap<string, string> = new Map([
  ['openai', '@ai-sdk/openai'],
  ['anthropic', '@ai-sdk/anthropic'],
  ['google', '@ai-sdk/google'],
  ['openai-compatible', '@ai-sdk/openai-compatible'],
]);

/** What there is of each provider: its package, and its key, of which only the name of the variable is ever told. */
export function checkProviders(env: NodeJS.ProcessEnv, used: string): readonly Check[] {
  // ollama and its like go through the package for any server.
  const needed = knownProviders.get(used)?.keyless === true ? 'openai-compatible' : used;
  return [...packages].map(([name, packageName]) => {
    const code = packageState(packageName);
    const key = keyState(name, env);
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

/** What was found, and what to do about it; null when nothing is. */
type State = { readonly found: string; readonly lacks: string | null };

function packageState(name: string): State {
  return isInstalled(name)
    ? { found: `${name} is installed`, lacks: null }
    : { found: `${name} is not installed`, lacks: `npm install ${name}` };
}

function keyState(name: string, env: NodeJS.ProcessEnv): State {
  const { keys = [], keyless = false } = knownProviders.get(name) ?? {};
  const key = keys.find((each) => (env[each] ?? '').trim() !== '');
  if (key !== undefined) return { found: `${key} is set`, lacks: null };
  if (keyless) return { found: 'no key is needed', lacks: null };
  return { found: 'no key is set', lacks: `set ${keys[0] ?? 'its key'}` };
}

function isInstalled(packageName: string): boolean {
  try {
    return findPackageJSON(packageName, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
