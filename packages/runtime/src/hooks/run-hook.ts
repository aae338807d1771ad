import { toPrintableLine } from '../schema/one-line.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import { passthroughSandbox } from '../sandbox/command-sandbox.ts';
import { runCommand } from '../sandbox/run-command.ts';
import { getTraceEnvironment } from '../trace-context.ts';
import type { HookCommand, HookPayload } from './hook.ts';

/** Whether the command exited with 0, and a one-line description. */
export type HookResult = { readonly ok: boolean; readonly what: string };

const hookTimeoutMs = 10_000;

/** Runs a user's hook command. It is not sandboxed because the user configured it, but it receives no secrets. */
export async function runHookCommand(
  hook: HookCommand,
  told: HookPayload,
  signal: AbortSignal,
): Promise<HookResult> {
  const { command, timeoutMs = hookTimeoutMs } = hook;
  const env = { ...scrubEnvironment(), ...getTraceEnvironment() };
  const confines = { cwd: told.workspace, writable: [], network: true, env };
  const sandboxLaunch = passthroughSandbox.launch(command, confines);
  const input = `${JSON.stringify(told)}\n`;
  const end = await runCommand({ sandboxLaunch, cwd: told.workspace, input, timeoutMs, signal });
  const [said = ''] = (end.stdout.trim() || end.stderr.trim()).split('\n');
  const name = toPrintableLine(command[0], 80);
  const what =
    said === '' ? `${name} ${end.summary}` : `${name} ${end.summary}: ${toPrintableLine(said, 300)}`;
  return { ok: end.kind === 'exited' && end.code === 0, what };
}

/** Limits how long a hook function is awaited. The function is signaled to stop but cannot be forced to. */
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
