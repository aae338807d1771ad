const { homedir } = require('node:os');
const { posix, win32 } = require('node:path');

/** Returns the compile cache folder for this platform; `XDG_CACHE_HOME` overrides it on every platform. */
exports.cacheFolder = function cacheFolder({ env, platform } = process) {
  const paths = platform === 'win32' ? win32 : posix;
  if (env.XDG_CACHE_HOME) return paths.join(env.XDG_CACHE_HOME, 'pawl');
  if (platform === 'darwin') return paths.join(homedir(), 'Library', 'Caches', 'pawl');
  if (platform === 'win32')
    return paths.join(env.LOCALAPPDATA || paths.join(homedir(), 'AppData', 'Local'), 'pawl', 'cache');
  return paths.join(homedir(), '.cache', 'pawl');
};
