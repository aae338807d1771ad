import * as z from 'zod';
import type { DataPath } from './parse-data-file.ts';
import { isLikelySecret, isSecretKey } from './secrets.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { explainSchemaIssue } from '../schema/explain.ts';

export type DocumentProblem = { readonly path: DataPath; readonly problem: string };

export type ValidatedDocument<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false; readonly problems: readonly DocumentProblem[] } & DocumentProblem);

/**
 * Validates a document that a user wrote, such as a parsed file. Only own properties are read, and a property that is
 * undefined is omitted. If the document is invalid, returns its problems, each with the path of the value that has it, and the
 * first of them on its own.
 */
export function validateDocument<Value>(
  schema: z.ZodType<Value>,
  document: unknown,
): ValidatedDocument<Value> {
  const copy = copyOwnProperties(document, []);
  const protoKeyPath = findProtoKey(copy, []);
  if (protoKeyPath !== null)
    return toInvalidDocument([{ path: protoKeyPath, problem: 'unknown key "__proto__"' }]);
  const parsed = schema.safeParse(copy, { error: explainDocumentIssue, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  return toInvalidDocument(parsed.error.issues.flatMap(locateIssue));
}

function toInvalidDocument(problems: readonly DocumentProblem[]): { readonly ok: false } & DocumentProblem & {
    readonly problems: readonly DocumentProblem[];
  } {
  return { ok: false, problems, ...(problems[0] ?? { path: [], problem: 'invalid' }) };
}

/** Deeper than people write; the limit protects the stack. */
const documentDepthMax = 256;

/** A value that is not in the copy of a document; it is invalid in every schema. */
const unusableValue = Symbol('a circular or too deeply nested structure');

function copyOwnProperties(value: unknown, ancestors: readonly object[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ancestors.length === documentDepthMax || ancestors.includes(value)) return unusableValue;
  const path = [...ancestors, value];
  if (Array.isArray(value)) return Array.from(value, (item) => copyOwnProperties(item, path));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, copyOwnProperties(item, path)]),
  );
}

/** Finds `__proto__` keys, which zod ignores. */
function findProtoKey(value: unknown, path: DataPath): DataPath | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__'];
  for (const [key, part] of Object.entries(value)) {
    const match = findProtoKey(part, [...path, Array.isArray(value) ? Number(key) : key]);
    if (match !== null) return match;
  }
  return null;
}

/** Returns the message of an issue and its path; for unknown keys, those of each key. */
function locateIssue(issue: z.core.$ZodIssue): readonly DocumentProblem[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  if (issue.code === 'unrecognized_keys') {
    const problems = issue.message.split('\n');
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      problem: problems[index] ?? issue.message,
    }));
  }
  const inner = issue.code === 'invalid_union' ? findIntendedIssue(issue) : undefined;
  if (inner === undefined) return [{ path, problem: issue.message }];
  return locateIssue(inner).map((located) => ({ ...located, path: [...path, ...located.path] }));
}

/** Returns the issue of the only member of a union that accepts the type of the value. */
function findIntendedIssue({ errors, input }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue | undefined {
  const candidates = errors.filter((issues) => !issues.some((issue) => isTypeMismatch(issue, input)));
  return candidates.length === 1 ? candidates[0]?.[0] : undefined;
}

function isTypeMismatch(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_value') return typeof input !== 'string' || issue.values.length === 1;
  return issue.code === 'invalid_type';
}

/** Explains an issue; never includes the value if it may be a secret. */
function explainDocumentIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
    // One line for each key; an issue has a single message.
    return issue.keys.map((key) => describeUnknownKey(key, known)).join('\n');
  }
  if (typeof issue.input === 'string' && isLikelySecret(issue.input))
    return 'this looks like a secret, and does not belong here';
  if (issue.input === unusableValue) return `expected JSON, got ${unusableValue.description}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  return explainSchemaIssue(issue);
}

function describeUnknownKey(key: string, known: readonly string[]): string {
  const shown = toPrintableLine(JSON.stringify(key), 60);
  const nearest = findNearestName(key, known, Math.max(2, Math.floor(key.length / 3)));
  if (nearest !== undefined) return `unknown key ${shown}; did you mean ${nearest}?`;
  if (isSecretKey(key))
    return `unknown key ${shown}; secrets are not read from files. Set the provider's environment variable instead, such as ANTHROPIC_API_KEY`;
  return `unknown key ${shown}; the keys are ${known.filter((name) => name !== '$schema').join(', ')}`;
}
