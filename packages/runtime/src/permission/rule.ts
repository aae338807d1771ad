import type { Json } from '@pawl/core';

export type PermissionLevel = 'allow' | 'ask' | 'deny';

/**
 * A decision for matching calls. `tool` is a name that may contain `*`. `on` restricts the rule: for a command line to
 * the words of one command, for other calls to their paths. `exactly` restricts it to these exact arguments.
 */
export type PermissionRule = {
  readonly decision: PermissionLevel;
  readonly tool: string;
  readonly on?: string;
  readonly exactly?: Json;
};

export type ParsedRule =
  | { readonly ok: true; readonly rule: PermissionRule }
  | { readonly ok: false; readonly problem: string };

const rulePattern = /^(allow|ask|deny)\s+([^\s(){}]+)\s*(?:\((.*)\)|(\{.*\}))?$/s;

/** Parses a rule in text form: `allow shell(git log **)`, `deny *(secrets/**)`, `ask write`. */
export function parsePermissionRule(text: string): ParsedRule {
  const [, decision, tool, on, exactly] = rulePattern.exec(text.trim().slice(0, 20_000)) ?? [];
  if (decision === undefined || tool === undefined)
    return createRuleProblem(text, 'Write it as "allow shell(git log **)".');
  const base = { decision: decision as PermissionLevel, tool };
  if (exactly !== undefined) {
    const args = parseRuleJson(exactly);
    if (args === null) return createRuleProblem(text, 'The text in braces is not valid JSON.');
    return { ok: true, rule: { ...base, exactly: args } };
  }
  if (on === undefined) return { ok: true, rule: base };
  if (on.trim() === '')
    return createRuleProblem(text, 'Put a pattern between the parentheses, or omit them.');
  return { ok: true, rule: { ...base, on: on.trim() } };
}

/** The inverse of `parsePermissionRule`. */
export function formatPermissionRule({ decision, tool, on, exactly }: PermissionRule): string {
  if (exactly !== undefined) return `${decision} ${tool} ${JSON.stringify(exactly)}`;
  return on === undefined ? `${decision} ${tool}` : `${decision} ${tool}(${on})`;
}

function createRuleProblem(text: string, advice: string): ParsedRule {
  return { ok: false, problem: `${JSON.stringify(text.slice(0, 200))} is not a rule. ${advice}` };
}

function parseRuleJson(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** A rule with more literal characters is more specific. */
export function computeSpecificity({ tool, on, exactly }: PermissionRule): number {
  const kind = exactly !== undefined ? 2 : Number(on !== undefined);
  return kind * 1e9 + countLiteralCharacters(on ?? '') * 1e3 + Math.min(countLiteralCharacters(tool), 999);
}

function countLiteralCharacters(pattern: string): number {
  return pattern.replaceAll(/[*?]/g, '').length;
}
