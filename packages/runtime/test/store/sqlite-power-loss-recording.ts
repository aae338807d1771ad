import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createMemoryFolder, spawnTraced } from './sqlite-io-faults-tracing.ts';
import {
  parseTracedBytes,
  parseTraceCalls,
  parseTracedHandle,
  hasCallFailed,
  type SystemCall,
} from './sqlite-power-loss-trace.ts';

/** What a program did to the files below a folder, and what it said, in order. A file keeps its number whatever its name. */
export type FileOperation =
  | {
      readonly type: 'made';
      readonly folder: string;
      readonly path: string;
      readonly file: number | 'folder';
    }
  | { readonly type: 'removed'; readonly folder: string; readonly path: string }
  | {
      readonly type: 'renamed';
      readonly folder: string;
      readonly from: string;
      readonly path: string;
      readonly file: number;
    }
  | { readonly type: 'written'; readonly file: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: 'cut'; readonly file: number; readonly size: number }
  | { readonly type: 'synced'; readonly file: number }
  | { readonly type: 'sync-failed'; readonly file: number }
  | { readonly type: 'folder-synced'; readonly folder: string }
  | { readonly type: 'said'; readonly text: string };

export type RecordOptions = {
  /** Empty at first. */
  readonly root: string;
  readonly script: string;
  readonly args: readonly string[];
  /** What is to fail, in the words of strace. */
  readonly inject?: string;
};

/** Runs a script to its end, and records what it does below a folder. */
export async function recordOperations({
  root,
  script,
  args,
  inject,
}: RecordOptions): Promise<readonly FileOperation[]> {
  using folder = createMemoryFolder();
  const trace = folder.at('trace');
  const failing = inject === undefined ? [] : ['-e', `inject=${inject}`];
  const whole = ['--seccomp-bpf', '-y', '-xx', '-s', String(16 * 1024 * 1024)];
  const child = spawnTraced(
    [...whole, '-e', `trace=${tracedSystemCalls}`, ...failing, '-o', trace],
    script,
    ...args,
  );
  const [complaint, , code] = await Promise.all([
    text(child.stderr),
    text(child.stdout),
    new Promise((done) => child.once('exit', done)),
  ]);
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${complaint}`);
  const recorder = new OperationRecorder(root);
  const lines = createInterface({ input: createReadStream(trace, 'latin1') });
  for await (const call of parseTraceCalls(lines)) recorder.take(call);
  return recorder.operations;
}

/** All by which a file can change. Those that Node and SQLite do not use are watched too, so that it shows if they do. */
const tracedSystemCalls =
  'openat,mkdir,mkdirat,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,fallocate,unlink,unlinkat,rmdir,rename,renameat,renameat2';

class OperationRecorder {
  readonly operations: FileOperation[] = [];
  readonly #root: string;
  readonly #files = new Map<string, number>();
  readonly #opened = new Map<string, { readonly path: string; offset: number }>();
  #filesMade = 0;

  constructor(root: string) {
    this.#root = root;
  }

  take(call: SystemCall): void {
    const isSync = call.name === 'fsync' || call.name === 'fdatasync';
    if (isSync) this.#sync(parseTracedHandle(call.given[0]).path, !hasCallFailed(call));
    else if (!hasCallFailed(call)) this.#done(call);
  }

  #done(call: SystemCall): void {
    const [first, second, third = ''] = call.given;
    switch (call.name) {
      case 'openat':
        return this.#open(this.#named(second), third, call.result);
      case 'mkdir':
        return this.#make(this.#named(first), 'folder');
      case 'unlink':
        return this.#remove(this.#named(first));
      case 'rename':
        return this.#rename(this.#named(first), this.#named(second));
      default:
        return this.#change(call);
    }
  }

  /** Through a handle. */
  #change({ name, given: [first, second, , fourth], result }: SystemCall): void {
    const { number, path } = parseTracedHandle(first);
    if (number === '1') return this.#add({ type: 'said', text: parseTracedBytes(second).toString('utf8') });
    if (!this.#isOurs(path)) return;
    const [file, opened] = [this.#files.get(path), this.#opened.get(number)];
    if (file === undefined || opened === undefined) throw new Error(`${path} was never created`);
    if (name === 'pwrite64') {
      this.#add({ type: 'written', file, offset: Number(fourth), bytes: parseTracedBytes(second) });
    } else if (name === 'ftruncate') {
      this.#add({ type: 'cut', file, size: Number(second) });
    } else if (name === 'write') {
      this.#add({ type: 'written', file, offset: opened.offset, bytes: parseTracedBytes(second) });
      opened.offset += Number(result);
    } else {
      throw new Error(`${name} is not recorded`);
    }
  }

  #open(path: string, flags: string, result: string): void {
    this.#opened.set(parseTracedHandle(result).number, { path, offset: 0 });
    if (!this.#isOurs(path) || !flags.includes('O_CREAT')) return;
    const file = this.#files.get(path);
    if (file === undefined) this.#make(path, (this.#filesMade += 1));
    else if (flags.includes('O_TRUNC')) this.#add({ type: 'cut', file, size: 0 });
  }

  #make(path: string, file: number | 'folder'): void {
    if (!this.#isOurs(path)) return;
    if (file !== 'folder') this.#files.set(path, file);
    this.#add({ type: 'made', folder: dirname(path), path, file });
  }

  #remove(path: string): void {
    if (this.#files.delete(path)) this.#add({ type: 'removed', folder: dirname(path), path });
  }

  #rename(from: string, path: string): void {
    const file = this.#files.get(from);
    if (file === undefined) return;
    if (dirname(from) !== dirname(path)) throw new Error('a move between folders is not recorded');
    this.#files.delete(from);
    this.#files.set(path, file);
    this.#add({ type: 'renamed', folder: dirname(path), from, path, file });
  }

  #sync(path: string, isDone: boolean): void {
    const file = this.#files.get(path);
    if (file !== undefined) this.#add({ type: isDone ? 'synced' : 'sync-failed', file });
    else if (isDone) this.#add({ type: 'folder-synced', folder: path });
  }

  #add(operation: FileOperation): void {
    this.operations.push(operation);
  }

  /** The shared-memory index is ignored: SQLite rebuilds it after a power loss. */
  #isOurs(path: string): boolean {
    return path.startsWith(`${this.#root}/`) && !path.endsWith('-shm');
  }

  /** Node names what lies in a folder that it holds open by the number of the handle. */
  #named(argument: string | undefined): string {
    const path = parseTracedBytes(argument).toString('utf8');
    const [, handle, below] = /^\/proc\/self\/fd\/(\d+)\/(.*)$/.exec(path) ?? [];
    return handle === undefined ? path : `${this.#opened.get(handle)?.path ?? ''}/${below}`;
  }
}
