export { createPermissionDecider } from './permission/decide.ts';
export type { PermissionAnswer, PermissionPrompter, PermissionQuestion } from './permission/decide.ts';
export type { ReviewedChange } from './tools/file-diff.ts';
export { describeCall } from './permission/describe-call.ts';
export { revealHiddenCharacters } from './permission/shell-words.ts';
export { permissionModes } from './permission/modes.ts';
export type { PermissionMode } from './permission/modes.ts';
export { createPermissionPolicy } from './permission/permissions.ts';
export type {
  PermissionExplanation,
  PermissionPolicy,
  PermissionPolicyOptions,
} from './permission/permissions.ts';
export { formatPermissionRule, parsePermissionRule } from './permission/rule.ts';
export type { PermissionLevel, PermissionRule } from './permission/rule.ts';
export { loadSavedRules } from './permission/saved-rules.ts';
