import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { quickFolder, traced } from './sqlite-io-faults-tracing.ts';
import { bytesOf, callsIn, handleOf, hasFailed, type Call } from './sqlite-power-loss-trace.ts';

/** What a program did to the files below a folder, and what it said, in order. A file keeps its number whatever its name. */
export type Operation =
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

export type Recorded = {
  /** Empty at first. */
  readonly root: string;
  readonly script: string;
  readonly args: readonly string[];
  /** What is to fail, in the words of strace. */
  readonly inject?: string;
};

/** Runs a script to its end, and records what it does below a folder. */
export async function record({ root, script, args, inject }: Recorded): Promise<readonly Operation[]> {
  using folder = quickFolder();
  const trace = folder.at('trace');
  const failing = inject === undefined ? [] : ['-e', `inject=${inject}`];
  const whole = ['--seccomp-bpf', '-y', '-xx', '-s', String(16 * 1024 * 1024)];
  const child = traced([...whole, '-e', `trace=${watched}`, ...failing, '-o', trace], script, ...args);
  const [complaint, , code] = await Promise.all([
    text(child.stderr),
    text(child.stdout),
    new Promise((done) => child.once('exit', done)),
  ]);
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}: ${complaint}`);
  const recorder = new Recorder(root);
  const lines = createInterface({ input: createReadStream(trace, 'latin1') });
  for await (const call of callsIn(lines)) recorder.take(call);
  return recorder.operations;
}

/** All by which a file can change. Those that Node and SQLite do not use are watched too, so that it shows if they do. */
const watched =
  'openat,mkdir,mkdirat,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,fallocate,unlink,unlinkat,rmdir,rename,renameat,renameat2';

class Recorder {
  readonly operations: Operation[] = [];
  readonly #root: string;
  readonly #files = new Map<string, number>();
  readonly #opened = new Map<string, { readonly path: string; offset: number }>();
  #filesMade = 0;

  constructor(root: string) {
    this.#root = root;
  }

  take(call: Call): void {
    const isSync = call.name === 'fsync' || call.name === 'fdatasync';
    if (isSync) this.#sync(handleOf(call.given[0]).path, !hasFailed(call));
    else if (!hasFailed(call)) this.#done(call);
  }

  #done(call: Call): void {
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
  #change({ name, given: [first, second, , fourth], result }: Call): void {
    const { number, path } = handleOf(first);
    if (number === '1') return this.#add({ type: 'said', text: bytesOf(second).toString('utf8') });
    if (!this.#isOurs(path)) return;
    const [file, opened] = [this.#files.get(path), this.#opened.get(number)];
    if (file === undefined || opened === undefined) throw new Error(`nobody has made ${path}`);
    if (name === 'pwrite64') {
      this.#add({ type: 'written', file, offset: Number(fourth), bytes: bytesOf(second) });
    } else if (name === 'ftruncate') {
      this.#add({ type: 'cut', file, size: Number(second) });
    } else if (name === 'write') {
      this.#add({ type: 'written', file, offset: opened.offset, bytes: bytesOf(second) });
      opened.offset += Number(result);
    } else {
      throw new Error(`${name} is not recorded`);
    }
  }

  #open(path: string, flags: string, result: string): void {
    this.#opened.set(handleOf(result).number, { path, offset: 0 });
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

  #add(operation: Operation): void {
    this.operations.push(operation);
  }

  /** Of the index beside the log nothing counts: it is made anew whenever the power was off. */
  #isOurs(path: string): boolean {
    return path.startsWith(`${this.#root}/`) && !path.endsWith('-shm');
  }

  /** Node names what lies in a folder that it holds open by the number of the handle. */
  #named(argument: string | undefined): string {
    const path = bytesOf(argument).toString('utf8');
    const [, handle, below] = /^\/proc\/self\/fd\/(\d+)\/(.*)$/.exec(path) ?? [];
    return handle === undefined ? path : `${this.#opened.get(handle)?.path ?? ''}/${below}`;
  }
}
