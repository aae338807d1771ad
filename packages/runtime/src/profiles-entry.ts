export { ProfileFileError } from './profiles/profile-file-error.ts';
export type { ProfileFileErrorCode } from './profiles/profile-file-error.ts';
export { readProfileFile } from './profiles/read-profile-file.ts';
