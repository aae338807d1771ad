export { ConfigFileError } from './config/config-file-error.ts';
export type { ConfigFileErrorCode } from './config/config-file-error.ts';
export { ConfigVariableError, configVariables, readEnvironmentConfig } from './config/environment-config.ts';
export type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config/config.ts';
export { findConfigFile, getUserConfigFolder } from './config/find-config.ts';
export { evaluateConfig, loadConfig, loadConfigLayers, toTrustedContents } from './config/load-config.ts';
export type { LoadConfigOptions, LoadedConfigLayers, MergedConfig } from './config/load-config.ts';
export { mergeConfigs } from './config/merge-configs.ts';
export type { ConfigLayers } from './config/merge-configs.ts';
