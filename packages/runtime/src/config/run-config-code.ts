import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { scrubEnvironment, runCommand, type CommandResult } from '../sandbox/run-command.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { ConfigFileError } from './config.ts';
import { configFileBytesMax, validateConfig, type ConfigFileContents } from './read-config-file.ts';

const codeTimeoutMs = 10_000;

/**
 * Runs a TypeScript configuration and validates its default export. It runs the text that was read and trusted, not the
 * current contents of the file, in a separate process without access to files, child processes or secrets in the
 * environment. Imports of other files are rejected, because those could change without a new trust decision.
 */
export async function runConfigCode(
  { path, text }: ConfigFileContents,
  timeoutMs: number = codeTimeoutMs,
  platform: NodeJS.Platform = process.platform,
): Promise<ConfigFileContents> {
  const marker = randomUUID();
  const result = await runCommand({
    sandboxLaunch: {
      file: process.execPath,
      args: [...nodeFlags, buildHostProgram(platform), marker],
      env: scrubEnvironment(),
    },
    cwd: tmpdir(),
    input: text,
    timeoutMs,
    outputBytesMax: 4 * configFileBytesMax,
  });
  const output = parseCodeOutput(result, marker);
  if (output === null) throw new ConfigFileError('code', path, { problem: describeMissingOutput(result) });
  if ('problem' in output)
    throw new ConfigFileError('code', path, { ...output, problem: explainCodeError(output.problem) });
  return { path, text, isCode: true, ...validateConfig(path, { value: output.value, findLine: () => null }) };
}

const nodeFlags = [
  '--permission',
  '--disable-warning=ExperimentalWarning',
  '--max-old-space-size=256',
  '--input-type=module',
  '--eval',
];

/**
 * Builds the program that runs the source from standard input as a module and prints its default export after a marker.
 * On Windows, a file URL requires a drive letter.
 */
export function buildHostProgram(platform: NodeJS.Platform): string {
  return `
import { registerHooks } from 'node:module';
const url = '${platform === 'win32' ? 'file:///C:/pawl.config.ts' : 'file:///pawl.config.ts'}';
const print = (output) => process.stdout.write('\\n' + process.argv[1] + JSON.stringify(output) + '\\n');
const plain = (key, value) => {
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw new TypeError('the value of "' + key + '" is a ' + typeof value + '; only plain data can be exported');
  return value;
};
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === url) return { url, format: 'module-typescript', shortCircuit: true };
    if (specifier.startsWith('node:')) return next(specifier, context);
    throw new TypeError('it imports ' + JSON.stringify(specifier) + '; a configuration may import only types and node: modules');
  },
  load: (requested, context, next) =>
    requested === url ? { format: 'module-typescript', source: text, shortCircuit: true } : next(requested, context),
});
try {
  const exported = await import(url);
  if (!('default' in exported)) throw new TypeError('it has no default export; end it with: export default { … }');
  print({ value: JSON.stringify((await exported.default) ?? null, plain) });
} catch (error) {
  const stack = String(error?.stack ?? '');
  const line = /file:\\/\\/\\/(?:C:\\/)?pawl\\.config\\.ts:(\\d+)/.exec(stack);
  print({ problem: String(error?.message ?? error), line: line === null ? null : Number(line[1]) });
}
`;
}

type ConfigCodeOutput =
  | { readonly value: unknown }
  | { readonly problem: string; readonly line: number | null };

/** Returns null if the program did not finish on its own or its output was truncated. */
function parseCodeOutput({ stdout }: CommandResult, marker: string): ConfigCodeOutput | null {
  const start = stdout.lastIndexOf(`\n${marker}`);
  if (start === -1) return null;
  try {
    // Written by the host program above.
    const output = JSON.parse(stdout.slice(start + 1 + marker.length)) as
      | { readonly value: string }
      | { readonly problem: string; readonly line: number | null };
    return 'problem' in output ? output : { value: JSON.parse(output.value) as unknown };
  } catch {
    return null;
  }
}

function describeMissingOutput({ kind, summary }: CommandResult): string {
  return kind === 'exited'
    ? 'it exited without exporting a configuration, or its export is too large.'
    : `it ${summary}. A configuration must only export its settings.`;
}

function explainCodeError(problem: string): string {
  const [first = ''] = problem.split('\n', 1);
  const message = toPrintableLine(first, 300);
  if (message.startsWith('Access to this API has been restricted'))
    return 'it accesses files or starts programs, which a configuration may not do.';
  return /[.?!}]$/.test(message) ? message : `${message}.`;
}
