export { listConfigOrigins } from './config/config-origins.ts';
export type { ConfigOrigin } from './config/config-origins.ts';
export { buildConfigJsonSchema } from './config/config-schema.ts';
export { readConfigFile } from './config/read-config-file.ts';
export type { ConfigFileContents } from './config/read-config-file.ts';
export { runConfigCode } from './config/run-config-code.ts';
export { findSecrets } from './data-files/secrets.ts';
