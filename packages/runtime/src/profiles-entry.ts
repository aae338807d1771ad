export {
  ProfileFileError,
  type ProfileFileErrorCode,
  readProfileFile,
} from './profiles/read-profile-file.ts';
