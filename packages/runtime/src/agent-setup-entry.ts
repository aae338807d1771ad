export { createProfileModel, getCodecOptions } from './agent-setup/agent-model.ts';
export { createAgentManifest, prepareAgent } from './agent-setup/agent-setup.ts';
export type {
  AgentManifest,
  AgentSetupContext,
  ObservedPorts,
  PreparedAgent,
} from './agent-setup/agent-setup.ts';
export {
  applyModelConfig,
  fillMissingBudgets,
  flagsToConfig,
  parseModelFlags,
  parseRunMetadata,
  toAgentConfig,
  toRunMetadata,
} from './agent-setup/run-options.ts';
export type { ConfigFlags, ModelFlags, RunMetadata } from './agent-setup/run-options.ts';
export { isDataFilePath, resolveProfile } from './agent-setup/agent-profile.ts';
export { applyAgentKeys, type ProfileWithKeys } from './agent-setup/agent-profile.ts';
