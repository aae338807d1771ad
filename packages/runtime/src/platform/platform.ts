import { posix, win32, type PlatformPath } from 'node:path';

const platformNames: { readonly [Name in NodeJS.Platform]?: string } = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

/** The display name of a platform. */
export function getPlatformName(platform: NodeJS.Platform): string {
  return platformNames[platform] ?? platform;
}

/** The path rules of a platform. */
export function getPlatformPaths(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

/** Converts a path to `/` separators, as shown to models and written to logs on every platform. */
export function toSlashes(native: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? native.replaceAll('\\', '/') : native;
}

/** The null device, as a path that git understands. */
export function getNullDevice(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'NUL' : '/dev/null';
}

/**
 * Returns the spellings under which the same file may be found: in lower case; on macOS also NFC-normalized and without
 * default-ignorable characters, so that `.g\u200Cit` is `.git`; on Windows also without trailing dots and spaces in a
 * name, and without the stream after a colon.
 */
export function foldPath(path: string, platform: NodeJS.Platform): readonly string[] {
  const lower = path.toLowerCase();
  if (platform === 'darwin') return [lower, lower.normalize('NFC').replaceAll(/\p{DI}/gu, '')];
  return platform === 'win32' ? [lower, lower.split('/').map(trimWindowsName).join('/')] : [lower];
}

function trimWindowsName(name: string): string {
  return /^\.+$/.test(name) ? name : name.replace(/:.*$/s, '').replace(/[. ]+$/, '');
}

const deviceNamePattern = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00B9\u00B2\u00B3])(?:\.|$)/i;

/**
 * Explains why a relative path cannot be used on a platform; null if it can. Windows opens devices, alternate data
 * streams and differently spelled files under such names, so a check of the name would not apply to the opened file.
 */
export function explainUnsafePath(relative: string, platform: NodeJS.Platform): string | null {
  if (platform !== 'win32') return null;
  for (const name of relative.split(/[\\/]/)) {
    if (name === '' || name === '.' || name === '..') continue;
    if (/[:<>"|?*]/.test(name)) return 'contains a character that Windows does not allow in file names';
    if (/[. ]$/.test(name)) return 'contains a name that ends with a dot or a space, which Windows removes';
    if (deviceNamePattern.test(name.trimEnd())) return 'names a device on Windows';
  }
  return null;
}

/** Environment variables, such as `process.env`; the only source of API keys. */
export type EnvironmentVariables = { readonly [name: string]: string | undefined };
