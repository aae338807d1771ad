import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export type Asset = {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Packed; null where packing saves nothing. */
  readonly packed: Uint8Array<ArrayBuffer> | null;
  /** Its name changes with what is in it, so that it never has to be asked for again. */
  readonly isForGood: boolean;
};

/** The files of the pages. Only what was found there is ever given out, whatever is asked for. */
export type Assets = {
  /** The file at a path such as `/assets/index-abc.js`; null if there is none. */
  at(path: string): Asset | null;
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** Vite names what it builds by a hash of it. */
const hashed = /-[\w-]{8,}\.\w+$/;

export function createAssets(folder: string): Assets {
  const known = new Map<string, Asset>();
  return {
    at(path) {
      const wanted = path === '/' ? '/index.html' : path;
      const found = known.get(wanted);
      if (found !== undefined) return found;
      const file = filesIn(folder).get(wanted);
      const type = types[extname(wanted)];
      if (file === undefined || type === undefined) return null;
      const asset = read(file, type);
      // What may change under the same name is read each time.
      if (asset.isForGood) known.set(wanted, asset);
      return asset;
    },
  };
}

/** By their path in an address. A link that leads out of the folder is no file of it. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return new Map(files.map((file) => [`/${relative(folder, file).replaceAll(sep, '/')}`, file]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
}

function read(file: string, type: string): Asset {
  const bytes = new Uint8Array(readFileSync(file));
  const packed = new Uint8Array(gzipSync(bytes));
  return {
    type,
    bytes,
    packed: packed.length < bytes.length * 0.9 ? packed : null,
    isForGood: hashed.test(file),
  };
}
