export { ensureParentFolder, getDataFolder, getStorageFile, hashFolderName } from './data-folder.ts';
