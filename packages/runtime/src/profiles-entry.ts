export { ProfileFileError } from './profiles/profile-file-error.ts';
export type { ProfileFileErrorCode } from './profiles/profile-file-error.ts';
export { readProfileFile } from './profiles/read-profile-file.ts';
export { isDataFilePath, resolveProfile } from './profiles/resolve-profile.ts';
