export { parseProfile } from './profiles/parse-profile.ts';
export { ProfileError } from './profiles/profile-parser.ts';
export type { ProfilePath } from './profiles/profile-parser.ts';
