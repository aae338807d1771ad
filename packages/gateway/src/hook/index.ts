export { answerHook, type HookContext } from './answer-hook.ts';
export {
  buildHookCommand,
  addHookEntries,
  hasHookEntries,
  HookInstallError,
  removeHookEntries,
} from './hook-entries.ts';
export {
  findInstalledCommand,
  hasHookInstallation,
  isCommandAvailable,
  planHookInstallation,
  removeHookInstallation,
  type HookInstallationPlan,
  type HookProgram,
  type HookRemoval,
} from './hook-installation.ts';
export { getSettingsPath, isHostInstalled } from './hook-settings.ts';
export type { HookEvent, HookHost, HostHookInput } from './hook-event.ts';
export {
  getHooksFile,
  openHookStateStore,
  type HookActivity,
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
