export { createProfileModel, getCodecOptions } from './agent-setup/agent-model.ts';
export {
  createAgentManifest,
  prepareAgent,
  type AgentManifest,
  type AgentSetupContext,
  type ObservedPorts,
  type PreparedAgent,
  resolveProfile,
  applyAgentKeys,
  type ProfileWithKeys,
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
export { isDataFilePath } from './config/config.ts';
