import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FileOperation } from './sqlite-power-loss-recording.ts';

/** The files below a folder, by their paths. */
export type DiskImage = ReadonlyMap<string, Uint8Array>;

/** Numbers from 0 to 1, the same for the same seed. */
export function createSeededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What a disk may hold after the power failed at the end of these operations. All that was synced is there. Of the rest each
 * write, cut, new name and removal has reached the disk or not, in no order, and a write perhaps in some of its sectors only.
 * What was written before a sync that failed is not kept by a later one: the system believes it is on the disk.
 */
export function createCrashImage(operations: readonly FileOperation[], random: () => number): DiskImage {
  const isSafe = computeSyncedOperations(operations);
  const luck = [0, 0.1, 0.5, 0.9, 1][Math.floor(random() * 5)] ?? 0;
  const disk = new SimulatedDisk(
    operations.flatMap((operation) =>
      operation.type === 'made' && operation.file === 'folder' ? [operation.path] : [],
    ),
  );
  for (const [index, operation] of operations.entries()) {
    if (isSafe[index] === true) disk.apply(operation, () => true);
    else if (operation.type === 'written' && random() < 0.3) disk.apply(operation, () => random() < luck);
    else if (random() < luck) disk.apply(operation, () => true);
  }
  return disk.image();
}

/** For each operation whether a sync that worked came after it, and none before that which failed. */
function computeSyncedOperations(operations: readonly FileOperation[]): readonly boolean[] {
  const synced = new Set<number | string>();
  const isSafe: boolean[] = Array.from(operations, () => false);
  for (const [index, operation] of [...operations.entries()].toReversed()) {
    if (operation.type === 'synced') synced.add(operation.file);
    else if (operation.type === 'sync-failed') synced.delete(operation.file);
    else if (operation.type === 'folder-synced') synced.add(operation.folder);
    else if (operation.type === 'written' || operation.type === 'cut')
      isSafe[index] = synced.has(operation.file);
    else if (operation.type !== 'said') isSafe[index] = synced.has(operation.folder);
  }
  return isSafe;
}

const sectorBytes = 512;

class SimulatedDisk {
  readonly #names = new Map<string, number | 'folder'>();
  readonly #files = new Map<number, Uint8Array>();
  readonly #folders: readonly string[];

  /** These folders are there only once they are made. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  apply(operation: FileOperation, isKept: () => boolean): void {
    switch (operation.type) {
      case 'made':
        this.#names.set(operation.path, operation.file);
        return;
      case 'removed':
        this.#names.delete(operation.path);
        return;
      case 'renamed':
        if (this.#names.get(operation.from) === operation.file) this.#names.delete(operation.from);
        this.#names.set(operation.path, operation.file);
        return;
      case 'written':
        this.#write(operation, isKept);
        return;
      case 'cut':
        this.#resize(operation.file, operation.size);
        return;
      case 'synced':
      case 'sync-failed':
      case 'folder-synced':
      case 'said':
        return;
      default:
        operation satisfies never;
    }
  }

  #write({ file, offset, bytes }: FileOperation & { readonly type: 'written' }, isKept: () => boolean): void {
    for (let from = 0; from < bytes.length;) {
      const end = Math.min(bytes.length, from + sectorBytes - ((offset + from) % sectorBytes));
      if (isKept()) {
        const size = Math.max(this.#files.get(file)?.length ?? 0, offset + end);
        this.#resize(file, size).set(bytes.subarray(from, end), offset + from);
      }
      from = end;
    }
  }

  #resize(file: number, size: number): Uint8Array {
    const before = this.#files.get(file) ?? new Uint8Array();
    if (before.length === size) return before;
    const buffer = before.buffer as ArrayBuffer;
    // What is beyond the end is zero, and stays so when it is reached again.
    before.fill(0, Math.min(size, before.length));
    const roomy = buffer.byteLength >= size ? buffer : new ArrayBuffer(size * 2);
    const after = new Uint8Array(roomy, 0, size);
    if (roomy !== buffer) after.set(before.subarray(0, size));
    this.#files.set(file, after);
    return after;
  }

  image(): DiskImage {
    const image = new Map<string, Uint8Array>();
    for (const [path, file] of this.#names) {
      if (file !== 'folder' && this.#isReachable(path))
        image.set(path, this.#files.get(file) ?? new Uint8Array());
    }
    return image;
  }

  #isReachable(path: string): boolean {
    return this.#folders.every((folder) => !path.startsWith(`${folder}/`) || this.#names.has(folder));
  }
}

/** Puts an image of the files below `root` into a folder. */
export function writeDiskImage(image: DiskImage, root: string, folder: string): void {
  for (const [path, bytes] of image) {
    const file = join(folder, relative(root, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}
