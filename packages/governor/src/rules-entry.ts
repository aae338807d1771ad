export { pawlRules } from './rules/pawl-rules.ts';
export { selectRules } from './rules/select-rules.ts';
