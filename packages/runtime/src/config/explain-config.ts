import * as z from 'zod';
import { findNearestName } from '../nearest-name.ts';
import { explainSchemaIssue } from '../schema/explain.ts';
import { toPrintableLine } from '../schema/one-line.ts';
import { isSecretKey, isLikelySecret } from './secrets.ts';

/** Explains a configuration issue; never includes the value if it may be a secret. */
export function explainConfigIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    return describeUnknownKey(issue.keys[0] ?? '', known);
  }
  if (typeof issue.input === 'string' && isLikelySecret(issue.input))
    return 'this looks like a secret, and does not belong here';
  if (issue.code === 'invalid_type' && issue.expected === 'tuple') return commandList;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code === 'invalid_union') return `expected ${describeUnion(issue)}`;
  return explainSchemaIssue(issue);
}

/** The command of a hook is the only tuple in the schema. */
const commandList = 'expected a list: a program and its arguments';

function describeUnknownKey(key: string, known: readonly string[]): string {
  const shown = toPrintableLine(JSON.stringify(key), 60);
  const nearest = findNearestName(key, known, Math.max(2, Math.floor(key.length / 3)));
  if (nearest !== undefined) return `unknown key ${shown}; did you mean ${nearest}?`;
  if (isSecretKey(key))
    return `unknown key ${shown}; secrets are not read from files. Set the provider's environment variable instead, such as ANTHROPIC_API_KEY`;
  return `unknown key ${shown}; the keys are ${known.filter((name) => name !== '$schema').join(', ')}`;
}

/** `autoCommit` is the only union in the schema. */
function describeUnion(issue: { readonly input?: unknown }): string {
  return typeof issue.input === 'object'
    ? 'true, false, or an object with runsHooks and timeoutMs'
    : 'true or false';
}
