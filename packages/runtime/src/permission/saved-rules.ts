import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getUserConfigFolder } from '../platform/data-folder.ts';
import { ensureParentFolder, hashFolderName } from '../platform/data-folder.ts';
import { formatPermissionRule, parsePermissionRule, type PermissionRule } from './rule.ts';

/** Permission rules that the user created with "always" in a folder: one per line, in a file that the user can edit. */
export type SavedRules = {
  readonly path: string;
  readonly rules: readonly PermissionRule[];
  /** Invalid lines, by number. */
  readonly problems: readonly string[];
  save(rule: PermissionRule): void;
};

export function loadSavedRules(folder: string): SavedRules {
  const path = join(getUserConfigFolder(), 'rules', `${hashFolderName(folder)}.txt`);
  const rules: PermissionRule[] = [];
  const problems: string[] = [];
  for (const [index, line] of readRuleLines(path).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const parsed = parsePermissionRule(line);
    if (parsed.ok) rules.push(parsed.rule);
    else problems.push(`${path}:${index + 1}: line ignored: ${parsed.problem}`);
  }
  return {
    path,
    rules,
    problems,
    save(rule) {
      ensureParentFolder(path);
      const header = readRuleLines(path).length === 0 ? `# Rules for ${JSON.stringify(folder)}\n` : '';
      appendFileSync(path, `${header}${formatPermissionRule(rule)}\n`, { mode: 0o600 });
    },
  };
}

function readRuleLines(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text === '' ? [] : text.split('\n');
  } catch {
    return [];
  }
}
