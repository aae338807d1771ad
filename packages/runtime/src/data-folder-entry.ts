export { ensureParentFolder, getDataFolder, getStorageFile, hashFolderName } from './platform/data-folder.ts';
