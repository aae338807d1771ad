export { replaceFileSync } from './platform/files.ts';
export { getPlatformName } from './platform/platform.ts';
