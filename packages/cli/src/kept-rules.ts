import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRule, parseRule, userConfigFolder, type PermissionRule } from '@pawl/runtime';
import { makeFolderFor, nameFor } from './data-folder.ts';

/** Rules that the user made with "always" in a folder: one a line, in a file the user can read and change. */
export type KeptRules = {
  readonly path: string;
  readonly rules: readonly PermissionRule[];
  /** Lines that are no rules, by their numbers. */
  readonly problems: readonly string[];
  keep(rule: PermissionRule): void;
};

export function keptRulesFor(folder: string): KeptRules {
  const path = join(userConfigFolder(), 'rules', `${nameFor(folder)}.txt`);
  const rules: PermissionRule[] = [];
  const problems: string[] = [];
  for (const [index, line] of linesOf(path).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const parsed = parseRule(line);
    if (parsed.ok) rules.push(parsed.rule);
    else problems.push(`${path}:${index + 1}: this line is left out: ${parsed.problem}`);
  }
  return {
    path,
    rules,
    problems,
    keep(rule) {
      makeFolderFor(path);
      const header = linesOf(path).length === 0 ? `# Rules for ${JSON.stringify(folder)}\n` : '';
      appendFileSync(path, `${header}${formatRule(rule)}\n`, { mode: 0o600 });
    },
  };
}

function linesOf(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text === '' ? [] : text.split('\n');
  } catch {
    return [];
  }
}
