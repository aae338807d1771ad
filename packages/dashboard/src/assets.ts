import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export type AssetFile = {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gzip-compressed bytes; null if compression saves less than 10%. */
  readonly gzipped: Uint8Array<ArrayBuffer> | null;
  /** The file name contains a content hash, so clients can cache the file permanently. */
  readonly isImmutable: boolean;
};

/** The built files of the web app. Only files found in its folder are served, so path traversal is impossible. */
export type AssetFiles = {
  /** Returns the file at a path such as `/assets/index-abc.js`, or null if there is none. */
  find(path: string): AssetFile | null;
};

const contentTypes: Readonly<Record<string, string>> = {
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

/** Vite puts a content hash into the names of the files it builds. */
const hashedNamePattern = /-[\w-]{8,}\.\w+$/;

export function createAssetFiles(folder: string): AssetFiles {
  const cache = new Map<string, AssetFile>();
  return {
    find(path) {
      const assetPath = path === '/' ? '/index.html' : path;
      const cached = cache.get(assetPath);
      if (cached !== undefined) return cached;
      const file = indexAssetFiles(folder).get(assetPath);
      const type = contentTypes[extname(assetPath)];
      if (file === undefined || type === undefined) return null;
      const asset = readAssetFile(file, type);
      // Cache only files with hashed names; others may change under the same name.
      if (asset.isImmutable) cache.set(assetPath, asset);
      return asset;
    },
  };
}

/** Maps URL paths to files. Symbolic links are excluded because they may point outside the folder. */
function indexAssetFiles(folder: string): ReadonlyMap<string, string> {
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

function readAssetFile(file: string, type: string): AssetFile {
  const bytes = new Uint8Array(readFileSync(file));
  const gzipped = new Uint8Array(gzipSync(bytes));
  return {
    type,
    bytes,
    gzipped: gzipped.length < bytes.length * 0.9 ? gzipped : null,
    isImmutable: hashedNamePattern.test(file),
  };
}
