export {
  ConfigFileError,
  findStoreProblem,
  type ConfigFileErrorCode,
  type AgentKeys,
  type Config,
  type ConfigHooks,
  type TelemetryKeys,
} from './config/config.ts';
export { ConfigVariableError, configVariables, readEnvironmentConfig } from './config/environment-config.ts';
export {
  findConfigFile,
  evaluateConfig,
  loadConfig,
  loadConfigLayers,
  toTrustedContents,
  type LoadConfigOptions,
  type LoadedConfigLayers,
  type MergedConfig,
} from './config/load-config.ts';
export { getUserConfigFolder } from './platform/data-folder.ts';
export { mergeConfigs } from './config/merge-configs.ts';
export type { ConfigLayers } from './config/merge-configs.ts';
