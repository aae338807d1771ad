// What the index of the runtime does not list yet.
export {
  configFromEnvironment,
  configVariables,
} from '../../../runtime/src/config/config-from-environment.ts';
export { configOrigins, type ConfigOrigin } from '../../../runtime/src/config/config-origins.ts';
export { ConfigVariableError } from '../../../runtime/src/config/config-variable-error.ts';
export type { ConfigLayers } from '../../../runtime/src/config/merge-configs.ts';
export { runConfigCode } from '../../../runtime/src/config/run-config-code.ts';
export { secretsIn } from '../../../runtime/src/config/secrets.ts';
export { knownProviders } from '../../../runtime/src/models/providers/known-providers.ts';
