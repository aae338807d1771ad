import type { GovernorSettings } from '../settings.ts';
import type { Rule } from './rule.ts';
import { pawlRules } from './rules/pawl.ts';

/** The rules of each preset. Those of a tracker are its own, and are not looked at one by one. */
const presets: { readonly [Name in GovernorSettings['preset']]: readonly Rule[] } = {
  pawl: pawlRules,
  none: [],
  nexora: [],
  'nexora-lenient': [],
  savant: [],
};

/** The rules a session asks for, with the changes it makes to them; `own` rules come after those of the preset. */
export function rulesFor(settings: GovernorSettings, own: readonly Rule[] = []): readonly Rule[] {
  const preset = presets[settings.preset];
  const changes = Object.keys(settings.rules).length;
  if (changes === 0 && own.length === 0) return preset;
  const rules = [...preset, ...own];
  return rules.flatMap((rule) => {
    const change = Object.hasOwn(settings.rules, rule.id) ? settings.rules[rule.id] : undefined;
    if (change === false) return [];
    return change === undefined ? [rule] : [{ ...rule, thresholds: { ...rule.thresholds, ...change } }];
  });
}
