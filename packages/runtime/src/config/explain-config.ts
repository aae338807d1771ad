import * as z from 'zod';
import { nearest } from '../nearest.ts';
import { explain } from '../schema/explain.ts';
import { oneLine } from '../schema/one-line.ts';
import { isSecretKey, looksSecret } from './secrets.ts';

/** What is wrong with a value of a configuration, in words; never the value itself if it could be a secret. */
export function explainConfig(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    return unknownKey(issue.keys[0] ?? '', known);
  }
  if (typeof issue.input === 'string' && looksSecret(issue.input))
    return 'this looks like a secret, and does not belong here';
  if (issue.code === 'invalid_type' && issue.expected === 'tuple') return commandList;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code === 'invalid_union') return `expected ${unionOf(issue)}`;
  return explain(issue);
}

/** The only list whose first part is another thing than the rest. */
const commandList = 'expected a list: a program, and then its arguments';

function unknownKey(given: string, known: readonly string[]): string {
  const shown = oneLine(JSON.stringify(given), 60);
  const near = nearest(given, known, Math.max(2, Math.floor(given.length / 3)));
  if (near !== undefined) return `unknown key ${shown}; did you mean ${near}?`;
  if (isSecretKey(given))
    return `unknown key ${shown}; secrets are not read from files. Set the provider's environment variable instead, such as ANTHROPIC_API_KEY`;
  return `unknown key ${shown}; the keys are ${known.filter((key) => key !== '$schema').join(', ')}`;
}

/** The only union there is. */
function unionOf(issue: { readonly input?: unknown }): string {
  return typeof issue.input === 'object'
    ? 'true, false, or an object with runsHooks and timeoutMs'
    : 'true or false';
}
