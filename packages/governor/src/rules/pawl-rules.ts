import {
  callCycle,
  combinedMatches,
  editAndRevert,
  fruitlessSearch,
  matchSameWords,
  noProgress,
  recurringCall,
  repeatedCall,
  repeatedEdit,
  sameAnswer,
  sameQuery,
} from './call-rules.ts';
import { errorStreak, failureStreak, interleavedErrors, repeatedFailure } from './error-rules.ts';
import { failedDecisions, repeatedText, repetitionLoop, similarityMin } from './reply-rules.ts';
import { computeSimilarity } from '../observations/text-observation.ts';
import type { CallRule, ObservationRule, Rule, RuleMatch } from './rule.ts';
import { hasEarlierMatch, takeTailWhile } from './window-queries.ts';
import type { GovernorSettings } from './governor-settings.ts';
import { fruitlessPaging, overdueMode, prolongedWait } from './waiting-rules.ts';

/**
 * The rules of the default profile. Among equally severe matches the first rule wins, so the most specific come first.
 */
export const pawlRules: readonly Rule[] = [
  repeatedFailure,
  repeatedCall,
  errorStreak,
  editAndRevert,
  repeatedEdit,
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
  repetitionLoop,
  failedDecisions,
  fruitlessPaging,
  overdueMode,
  combinedMatches,
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
  if (own.length === 0 && isEmptyObject(settings.rules)) return preset;
  const rules = [...preset, ...own];
  return rules.flatMap((rule) => {
    const change = Object.hasOwn(settings.rules, rule.id) ? settings.rules[rule.id] : undefined;
    if (change === false) return [];
    return change === undefined ? [rule] : [{ ...rule, thresholds: { ...rule.thresholds, ...change } }];
  });
}

/** Allocates nothing, because every event asks for the rules. */
function isEmptyObject(value: object): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

/*
 * The rules of the default profile as they were before log version 5. Sessions of that time keep them, so that their logs
 * replay to the same verdicts; see docs/replay.md.
 */

/** Failing calls whose results were all seen before, whatever the arguments. */
const staleErrors: Rule = {
  id: 'stale-errors',
  rationale:
    'Six results in a row that each tool has returned before, ending in an error, mean that two or three known errors ' +
    'alternate and that varying the arguments has no effect.',
  thresholds: { advise: null, block: null, stop: 6 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error === null) return null;
    const evidence = takeTailWhile(window, (each, index) =>
      hasEarlierMatch(window, index, ({ tool, outcome }) => tool === each.tool && outcome === each.outcome),
    );
    return {
      count: evidence.length,
      evidence,
      loop: last.error,
      reason: `the last ${evidence.length} answers had all been given before, and the last one is an error`,
      advice: `The last ${evidence.length} answers were all answers you had been given before, and it ends in an error again. Leave this way and take another.`,
    };
  },
};

const formerRepeatedCall: CallRule = {
  ...repeatedCall,
  match: (window) => countEvidence(repeatedCall.match(window)),
};

const formerErrorStreak: Rule = { ...errorStreak, thresholds: { ...errorStreak.thresholds, stop: 7 } };

const formerSameQuery: CallRule = {
  ...sameQuery,
  match: (window) => {
    const last = window.at(-1);
    return last === undefined ? null : matchSameWords(window, last);
  },
};

const formerInterleavedErrors: CallRule = {
  ...interleavedErrors,
  thresholds: { ...interleavedErrors.thresholds, stop: null },
  match: (window) => countEvidence(interleavedErrors.match(window)),
};

const formerRepeatedText: ObservationRule<'text'> = {
  ...repeatedText,
  unit: 'replies',
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => each.fingerprint === last.fingerprint);
    return {
      count: evidence.length,
      evidence,
      loop: last.fingerprint,
      reason: `the same was said ${evidence.length} times in a row, and nothing was done`,
      advice: `You have said the same ${evidence.length} times in a row without doing anything. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};

const similarText: ObservationRule<'text'> = {
  id: 'similar-text',
  rationale:
    'A reply that shares four fifths of its wording with each of the replies before it is a variation of them.',
  on: 'text',
  unit: 'replies',
  thresholds: { advise: 3, block: null, ask: 5, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => computeSimilarity(each, last) >= similarityMin);
    return {
      count: evidence.length,
      evidence,
      loop: 'similar-text',
      reason: `nearly the same was said ${evidence.length} times in a row, and nothing was done`,
      advice: `Your last ${evidence.length} replies say nearly the same, and nothing was done. Do the next step with a tool, or say that you are done or what stops you.`,
    };
  },
};

const monologue: ObservationRule<'text'> = {
  id: 'monologue',
  rationale: 'Reply after reply without a tool call does no work.',
  on: 'text',
  unit: 'replies',
  thresholds: { advise: 5, block: null, stop: null },
  match: (window) => ({
    count: window.length,
    evidence: window,
    loop: 'monologue',
    reason: `${window.length} replies in a row did nothing`,
    advice: `Your last ${window.length} replies did nothing but talk. Do the next step with a tool, or say that you are done or what stops you.`,
  }),
};

function countEvidence(match: RuleMatch | null): RuleMatch | null {
  return match === null ? null : { ...match, count: match.evidence.length };
}

const formerVersions: ReadonlyMap<Rule, readonly Rule[]> = new Map<Rule, readonly Rule[]>([
  [repeatedCall, [formerRepeatedCall]],
  [errorStreak, [formerErrorStreak]],
  [failureStreak, [staleErrors, failureStreak]],
  [interleavedErrors, [formerInterleavedErrors]],
  [sameQuery, [formerSameQuery]],
  [repeatedText, [formerRepeatedText, similarText, monologue]],
]);

/** The log version since which the rules have their present form. */
const presentFormSince = 5;

const formerPawlRules: readonly Rule[] = filterRulesByVersion(presentFormSince - 1).flatMap(
  (rule) => formerVersions.get(rule) ?? [rule],
);

/** The rules of each log version from the present form of the rules to the newest rule. */
const laterPawlRules: readonly (readonly Rule[])[] = Array.from(
  { length: 1 + Math.max(0, ...pawlRules.map(({ since = 0 }) => since - presentFormSince)) },
  (_, index) => filterRulesByVersion(presentFormSince + index),
);

function filterRulesByVersion(logVersion: number): readonly Rule[] {
  return pawlRules.filter(({ since = 0 }) => since <= logVersion);
}

/** Returns the rules of the sessions of a log version. */
export function getPawlRules(logVersion: number): readonly Rule[] {
  if (logVersion < presentFormSince) return formerPawlRules;
  return laterPawlRules[logVersion - presentFormSince] ?? pawlRules;
}

/** The ids of the rules of all log versions. */
export const pawlRuleIds: readonly string[] = [
  ...new Set([...pawlRules, ...formerPawlRules].map(({ id }) => id)),
];
