import type { GovernorSettings } from './governor-settings.ts';
import {
  fruitlessSearch,
  reappliedChange,
  recurringCall,
  editAndRevert,
  noProgress,
  repeatedCall,
  callCycle,
  sameAnswer,
  sameQuery,
} from './call-rules.ts';
import { errorStreak, interleavedErrors, failureStreak, repeatedFailure } from './error-rules.ts';
import {
  repetitionLoop,
  failedDecisions,
  textOnlyReplies,
  repeatedText,
  similarText,
} from './reply-rules.ts';
import type { Rule } from './rule.ts';
import { fruitlessPaging, overdueMode, prolongedWait } from './waiting-rules.ts';

/**
 * The rules of the default profile. Among equally severe matches the first rule wins, so the most specific come first.
 */
export const pawlRules: readonly Rule[] = [
  repeatedFailure,
  repeatedCall,
  errorStreak,
  editAndRevert,
  reappliedChange,
  callCycle,
  failureStreak,
  fruitlessSearch,
  interleavedErrors,
  sameQuery,
  recurringCall,
  sameAnswer,
  noProgress,
  prolongedWait,
  repeatedText,
  similarText,
  textOnlyReplies,
  repetitionLoop,
  failedDecisions,
  fruitlessPaging,
  overdueMode,
];

/** The rules of each preset. Trackers have their own rules, which are not listed here. */
const rulesByPreset: { readonly [Name in GovernorSettings['preset']]: readonly Rule[] } = {
  pawl: pawlRules,
  none: [],
  nexora: [],
  'nexora-lenient': [],
  savant: [],
};

/** Returns a session's rules with its overrides applied; `own` rules come after those of the preset. */
export function selectRules(
  settings: GovernorSettings,
  own: readonly Rule[] = [],
  pawl: readonly Rule[] = pawlRules,
): readonly Rule[] {
  const preset = settings.preset === 'pawl' ? pawl : rulesByPreset[settings.preset];
  const changes = Object.keys(settings.rules).length;
  if (changes === 0 && own.length === 0) return preset;
  const rules = [...preset, ...own];
  return rules.flatMap((rule) => {
    const change = Object.hasOwn(settings.rules, rule.id) ? settings.rules[rule.id] : undefined;
    if (change === false) return [];
    return change === undefined ? [rule] : [{ ...rule, thresholds: { ...rule.thresholds, ...change } }];
  });
}
