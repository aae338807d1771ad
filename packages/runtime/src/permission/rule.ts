import type { Json } from '@pawl/core';

export type Permission = 'allow' | 'ask' | 'deny';

/**
 * What is to become of some calls. `tool` is a name, perhaps with `*` in it. `on` narrows it down: for a command line to
 * the words of one command, for anything else to the paths it is about. `exactly` narrows it down to these very arguments.
 */
export type PermissionRule = {
  readonly decision: Permission;
  readonly tool: string;
  readonly on?: string;
  readonly exactly?: Json;
};

export type ParsedRule =
  | { readonly ok: true; readonly rule: PermissionRule }
  | { readonly ok: false; readonly problem: string };

const shape = /^(allow|ask|deny)\s+([^\s(){}]+)\s*(?:\((.*)\)|(\{.*\}))?$/s;

/** Reads a rule as people write it: `allow shell(git log **)`, `deny *(secrets/**)`, `ask write`. */
export function parseRule(text: string): ParsedRule {
  const [, decision, tool, on, exactly] = shape.exec(text.trim().slice(0, 20_000)) ?? [];
  if (decision === undefined || tool === undefined)
    return problem(text, 'Write it as "allow shell(git log **)".');
  const base = { decision: decision as Permission, tool };
  if (exactly !== undefined) {
    const args = parseJson(exactly);
    if (args === null) return problem(text, 'What stands in braces is not JSON.');
    return { ok: true, rule: { ...base, exactly: args } };
  }
  if (on === undefined) return { ok: true, rule: base };
  if (on.trim() === '') return problem(text, 'Put a pattern between the brackets, or leave them out.');
  return { ok: true, rule: { ...base, on: on.trim() } };
}

/** The reverse of `parseRule`. */
export function formatRule({ decision, tool, on, exactly }: PermissionRule): string {
  if (exactly !== undefined) return `${decision} ${tool} ${JSON.stringify(exactly)}`;
  return on === undefined ? `${decision} ${tool}` : `${decision} ${tool}(${on})`;
}

function problem(text: string, what: string): ParsedRule {
  return { ok: false, problem: `${JSON.stringify(text.slice(0, 200))} is not a rule. ${what}` };
}

function parseJson(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** The more of a rule is spelled out, the more it is about this very call. */
export function specificity({ tool, on, exactly }: PermissionRule): number {
  const kind = exactly !== undefined ? 2 : Number(on !== undefined);
  return kind * 1e9 + spelledOut(on ?? '') * 1e3 + Math.min(spelledOut(tool), 999);
}

function spelledOut(pattern: string): number {
  return pattern.replaceAll(/[*?]/g, '').length;
}
