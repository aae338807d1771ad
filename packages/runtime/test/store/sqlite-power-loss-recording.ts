import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { traced } from './sqlite-io-faults-tracing.ts';

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

const calls =
  'openat,mkdir,mkdirat,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,fallocate,unlink,unlinkat,rmdir,rename,renameat,renameat2';

/** Runs a script to its end, and records what it does below `root`, which is empty at first. */
export async function record(
  root: string,
  trace: string,
  script: string,
  args: readonly string[],
  inject: readonly string[] = [],
): Promise<readonly Operation[]> {
  const bytesMax = String(16 * 1024 * 1024);
  const options = [
    '--seccomp-bpf',
    '-y',
    '-xx',
    '-s',
    bytesMax,
    '-e',
    `trace=${calls}`,
    ...inject,
    '-o',
    trace,
  ];
  const child = traced(options, script, ...args);
  const [, code] = await Promise.all([text(child.stdout), new Promise((done) => child.once('exit', done))]);
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}`);
  const reader = new Reader(root);
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) reader.take(line);
  return reader.operations;
}

/** Reads a trace line by line. It knows the calls that Node and SQLite make, and says so when there is another. */
class Reader {
  readonly operations: Operation[] = [];
  readonly #root: string;
  /** Calls that another thread spoke in between of. */
  readonly #unfinished = new Map<string, string>();
  readonly #files = new Map<string, number>();
  readonly #opened = new Map<string, { readonly path: string; offset: number }>();
  #filesMade = 0;

  constructor(root: string) {
    this.#root = root;
  }

  take(line: string): void {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      this.#unfinished.set(thread, rest.slice(0, rest.lastIndexOf(' <unfinished')));
      return;
    }
    const resumed = rest.startsWith('<... ') ? rest.indexOf('resumed>') + 'resumed>'.length : 0;
    const whole = resumed > 0 ? `${this.#unfinished.get(thread) ?? ''}${rest.slice(resumed)}` : rest;
    const [begin, end] = [whole.indexOf('('), whole.lastIndexOf(' = ')];
    // What is left are signals and the ends of threads.
    if (begin < 1 || end < 0) return;
    const given = whole.slice(begin + 1, whole.lastIndexOf(')', end)).split(', ');
    this.#call(whole.slice(0, begin), given, whole.slice(end + 3));
  }

  #call(name: string, given: readonly string[], result: string): void {
    const isDone = !result.startsWith('-1') && !result.startsWith('?');
    const [first = '', second = '', third = '', fourth = ''] = given;
    if (name === 'fsync' || name === 'fdatasync') return this.#sync(pathOf(first), isDone);
    if (!isDone) return;
    if (name === 'openat') return this.#open(this.#named(second), third, result);
    if (name === 'mkdir') return this.#make(this.#named(first), 'folder');
    if (name === 'unlink') return this.#remove(this.#named(first));
    if (name === 'rename') return this.#rename(this.#named(first), this.#named(second));
    if (name === 'write' && first.startsWith('1<')) return this.#say(bytesOf(second));
    const path = pathOf(first);
    const file = this.#files.get(path);
    if (!this.#isOurs(path)) return;
    if (file === undefined) throw new Error(`${name} of ${path}, which nobody made`);
    if (name === 'pwrite64') return this.#write(file, Number(fourth), bytesOf(second));
    if (name === 'ftruncate') return void this.operations.push({ type: 'cut', file, size: Number(second) });
    const opened = this.#opened.get(numberOf(first));
    if (name !== 'write' || opened?.path !== path) throw new Error(`${name} of ${path} is not recorded`);
    this.#write(file, opened.offset, bytesOf(second));
    opened.offset += Number(result);
  }

  #open(path: string, flags: string, result: string): void {
    this.#opened.set(numberOf(result), { path, offset: 0 });
    if (!this.#isOurs(path) || !flags.includes('O_CREAT')) return;
    const file = this.#files.get(path);
    if (file === undefined) this.#make(path, (this.#filesMade += 1));
    else if (flags.includes('O_TRUNC')) this.operations.push({ type: 'cut', file, size: 0 });
  }

  #make(path: string, file: number | 'folder'): void {
    if (!this.#isOurs(path)) return;
    if (file !== 'folder') this.#files.set(path, file);
    this.operations.push({ type: 'made', folder: dirname(path), path, file });
  }

  #remove(path: string): void {
    if (!this.#isOurs(path)) return;
    this.#files.delete(path);
    this.operations.push({ type: 'removed', folder: dirname(path), path });
  }

  #rename(from: string, path: string): void {
    const file = this.#files.get(from);
    if (file === undefined) return;
    if (dirname(from) !== dirname(path)) throw new Error('between folders nothing is recorded');
    this.#files.delete(from);
    this.#files.set(path, file);
    this.operations.push({ type: 'renamed', folder: dirname(path), from, path, file });
  }

  #write(file: number, offset: number, bytes: Uint8Array): void {
    this.operations.push({ type: 'written', file, offset, bytes });
  }

  #sync(path: string, isDone: boolean): void {
    const file = this.#files.get(path);
    if (file !== undefined) this.operations.push({ type: isDone ? 'synced' : 'sync-failed', file });
    else if (isDone) this.operations.push({ type: 'folder-synced', folder: path });
  }

  #say(bytes: Buffer): void {
    this.operations.push({ type: 'said', text: bytes.toString('utf8') });
  }

  /** The index of the log is made anew from the log whenever the power was off. */
  #isOurs(path: string): boolean {
    return path.startsWith(`${this.#root}/`) && !path.endsWith('-shm');
  }

  #named(argument: string): string {
    const path = bytesOf(argument).toString('utf8');
    const [, handle, below] = /^\/proc\/self\/fd\/(\d+)\/(.*)$/.exec(path) ?? [];
    if (handle === undefined) return path;
    return `${this.#opened.get(handle)?.path ?? ''}/${below}`;
  }
}

/** A text is "\x61\x62". */
function bytesOf(argument: string): Buffer {
  if (!argument.endsWith('"')) throw new Error('a text was cut short');
  return Buffer.from(argument.slice(1, -1).replaceAll('\\x', ''), 'hex');
}

/** A handle is 21<\x61\x62>. */
function pathOf(argument: string): string {
  const hex = argument.slice(argument.indexOf('<') + 1, argument.lastIndexOf('>'));
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('utf8');
}

function numberOf(argument: string): string {
  return argument.slice(0, argument.indexOf('<'));
}
