export { pawlRules, selectRules } from './rules/pawl-rules.ts';
export { formerPawlRules } from './rules/former-pawl-rules.ts';
