export { replaceConfigKeys, builtInProfiles, findProfile } from './profiles/profiles.ts';
export type { Profile } from './profiles/profiles.ts';
