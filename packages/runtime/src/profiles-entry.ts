export { ProfileError, parseProfile } from './profiles/parse-profile.ts';
export {
  ProfileFileError,
  type ProfileFileErrorCode,
  readProfileFile,
} from './profiles/read-profile-file.ts';
