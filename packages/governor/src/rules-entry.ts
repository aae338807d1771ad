export { pawlRules, selectRules } from './rules/pawl-rules.ts';
