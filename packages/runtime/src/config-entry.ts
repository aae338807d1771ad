export { ConfigFileError } from './config/config-file-error.ts';
export type { ConfigFileErrorCode } from './config/config-file-error.ts';
export { ConfigVariableError, configVariables, readEnvironmentConfig } from './config/environment-config.ts';
export type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config/config.ts';
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
