export { getPawlRules, pawlRuleIds, pawlRules, selectRules } from './rules/pawl-rules.ts';
