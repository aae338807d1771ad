export { answerHook, type HookContext } from './answer-hook.ts';
export {
  buildHookCommand,
  addHookEntries,
  createHookEntries,
  hasHookEntries,
  removeHookEntries,
  getSettingsPath,
  HookInstallError,
  readHostSettings,
  writeHostSettings,
} from './hook-entries.ts';
export type { HookEvent, HookHost, HostHookInput } from './hook-event.ts';
export {
  getHooksFile,
  openHookStateStore,
  type HookCall,
  type HookDecision,
  type HookOutcome,
  type HookState,
  type HookAgentKey,
  type HookStateStore,
} from './hook-state.ts';
export { interruptHost } from './interrupt-host.ts';
export { hookHosts } from './hosts.ts';
export type { JsonFields } from '../json-fields.ts';
