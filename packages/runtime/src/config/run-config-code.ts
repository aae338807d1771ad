import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { scrubbedEnvironment } from '../sandbox/environment.ts';
import { runCommand, type CommandEnd } from '../sandbox/run-command.ts';
import { oneLine } from '../schema/one-line.ts';
import { ConfigFileError } from './config-file-error.ts';
import { configFileBytesMax, configOf, type ReadConfig } from './read-config-file.ts';

/** Working out a configuration takes no longer than this. */
const codeTimeoutMs = 10_000;

/**
 * What a configuration in TypeScript comes to: its default export, checked like any other file. It is the very text that was
 * read, and so trusted, that runs, not what the file holds by now. It runs in a process of its own that may touch no file and
 * start no program, without the environment's secrets, and stands alone: what it imported could change without anybody
 * being asked again.
 */
export async function runConfigCode(
  { path, text }: ReadConfig,
  timeoutMs: number = codeTimeoutMs,
): Promise<ReadConfig> {
  const mark = randomUUID();
  const end = await runCommand({
    launch: { file: process.execPath, args: [...nodeFlags, host, mark], env: scrubbedEnvironment() },
    cwd: tmpdir(),
    input: text,
    timeoutMs,
    outputBytesMax: 4 * configFileBytesMax,
  });
  const said = saidBy(end, mark);
  if (said === null) throw new ConfigFileError('code', path, { problem: silence(end) });
  if ('problem' in said)
    throw new ConfigFileError('code', path, { ...said, problem: explained(said.problem) });
  return { path, text, isCode: true, ...configOf(path, { value: said.value, lineOf: () => null }) };
}

const nodeFlags = [
  '--permission',
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=256',
  '--input-type=module',
  '--eval',
];

/** Runs what comes over standard input as a module of its own, and writes what it exports after a mark. */
const host = `
import { registerHooks } from 'node:module';
const url = 'file:///pawl.config.ts';
const say = (said) => process.stdout.write('\\n' + process.argv[1] + JSON.stringify(said) + '\\n');
const plain = (key, value) => {
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw new TypeError('the value of "' + key + '" is a ' + typeof value + '; only plain data can be exported');
  return value;
};
let text = '';
for await (const piece of process.stdin.setEncoding('utf8')) text += piece;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === url) return { url, format: 'module-typescript', shortCircuit: true };
    if (specifier.startsWith('node:')) return next(specifier, context);
    throw new TypeError('it imports ' + JSON.stringify(specifier) + '; it is to stand alone, with types and node: modules only');
  },
  load: (asked, context, next) =>
    asked === url ? { format: 'module-typescript', source: text, shortCircuit: true } : next(asked, context),
});
try {
  const exported = await import(url);
  if (!('default' in exported)) throw new TypeError('it has no default export; end it with: export default { … }');
  say({ value: JSON.stringify((await exported.default) ?? null, plain) });
} catch (error) {
  const stack = String(error?.stack ?? '');
  const line = /file:\\/\\/\\/pawl\\.config\\.ts:(\\d+)/.exec(stack);
  say({ problem: String(error?.message ?? error), line: line === null ? null : Number(line[1]) });
}
`;

type Said = { readonly value: unknown } | { readonly problem: string; readonly line: number | null };

/** Null when it never came to an end of its own, or said more than is read. */
function saidBy({ stdout }: CommandEnd, mark: string): Said | null {
  const start = stdout.lastIndexOf(`\n${mark}`);
  if (start === -1) return null;
  try {
    // Written by the program above.
    const said = JSON.parse(stdout.slice(start + 1 + mark.length)) as
      | { readonly value: string }
      | { readonly problem: string; readonly line: number | null };
    return 'problem' in said ? said : { value: JSON.parse(said.value) as unknown };
  } catch {
    return null;
  }
}

function silence({ kind, what }: CommandEnd): string {
  return kind === 'exited'
    ? 'it ended before it had exported a configuration, or exported too much.'
    : `it ${what}. It is to do no more than export a configuration.`;
}

function explained(problem: string): string {
  const [first = ''] = problem.split('\n', 1);
  const said = oneLine(first, 300);
  if (said.startsWith('Access to this API has been restricted'))
    return 'it reads or writes files, or starts programs. A configuration may do neither.';
  return /[.?!}]$/.test(said) ? said : `${said}.`;
}
