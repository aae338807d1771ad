export { pawlRules, selectRules } from './rules/pawl-rules.ts';
export { formerPawlRules } from './rules/pawl-rules.ts';
