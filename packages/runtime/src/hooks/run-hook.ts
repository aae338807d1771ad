import { oneLine } from '../schema/one-line.ts';
import { scrubbedEnvironment } from '../sandbox/environment.ts';
import { openLauncher } from '../sandbox/launcher.ts';
import { runCommand } from '../sandbox/run-command.ts';
import { traceEnvironment } from '../trace-context.ts';
import type { HookCommand, Told } from './hook.ts';

/** What became of a command: whether it exited with 0, and one line about it. */
export type HookEnd = { readonly ok: boolean; readonly what: string };

const hookTimeoutMs = 10_000;

/** Runs a hook of the user's. It is the user's own command, so it is not sandboxed, but it gets no secrets either. */
export async function runHookCommand(hook: HookCommand, told: Told, signal: AbortSignal): Promise<HookEnd> {
  const { command, timeoutMs = hookTimeoutMs } = hook;
  const env = { ...scrubbedEnvironment(), ...traceEnvironment() };
  const confines = { cwd: told.workspace, writable: [], network: true, env };
  const launch = openLauncher.launch(command, confines);
  const input = `${JSON.stringify(told)}\n`;
  const end = await runCommand({ launch, cwd: told.workspace, input, timeoutMs, signal });
  const [said = ''] = (end.stdout.trim() || end.stderr.trim()).split('\n');
  const name = oneLine(command[0], 80);
  const what = said === '' ? `${name} ${end.what}` : `${name} ${end.what}: ${oneLine(said, 300)}`;
  return { ok: end.kind === 'exited' && end.code === 0, what };
}

/** Waits for a function no longer than it may take. It is told to stop, but cannot be made to. */
export async function runHookFunction<Answer>(
  run: (signal: AbortSignal) => Answer | Promise<Answer>,
  timeoutMs: number = hookTimeoutMs,
  signal: AbortSignal,
): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, late]);
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void =>
    stopped.reject(
      new Error(late.aborted ? `it took longer than ${timeoutMs / 1_000} s` : 'it was called off'),
    );
  either.addEventListener('abort', onAbort, { once: true });
  if (either.aborted) onAbort();
  try {
    return await Promise.race([Promise.resolve().then(() => run(either)), stopped.promise]);
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
