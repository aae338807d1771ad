export { answerHook, type HookContext } from './answer-hook.ts';
export {
  buildHookCommand,
  addHookEntries,
  createHookEntries,
  hasHookEntries,
  removeHookEntries,
} from './hook-entries.ts';
export type { HookEvent, HookHost, HostHookInput } from './hook-event.ts';
export type { HookCall, HookDecision, HookOutcome, HookState } from './hook-state.ts';
export {
  getHooksFile,
  openHookStateStore,
  type HookAgentKey,
  type HookStateStore,
} from './hook-state-store.ts';
export { hookHosts } from './hosts.ts';
export { getSettingsPath, HookInstallError, readHostSettings, writeHostSettings } from './settings-file.ts';
export type { JsonFields } from '../json-fields.ts';
