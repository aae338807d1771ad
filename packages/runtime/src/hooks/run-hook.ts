import { toPrintableLine } from '../text/one-line.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import { passthroughSandbox } from '../sandbox/command-sandbox.ts';
import { runCommand } from '../sandbox/run-command.ts';
import { getTraceEnvironment } from '../platform/trace-context.ts';
import type { HookCommand, HookPayload } from './hook.ts';

/** Whether the command exited with 0, and a one-line description. */
export type HookResult = { readonly ok: boolean; readonly summary: string };

const hookTimeoutMs = 10_000;

/** Runs a user's hook command. It is not sandboxed because the user configured it, but it receives no secrets. */
export async function runHookCommand(
  hook: HookCommand,
  payload: HookPayload,
  signal: AbortSignal,
): Promise<HookResult> {
  const { command, timeoutMs = hookTimeoutMs } = hook;
  const env = { ...scrubEnvironment(), ...getTraceEnvironment() };
  const policy = { cwd: payload.workspace, writable: [], network: true, env };
  const sandboxLaunch = passthroughSandbox.launch(command, policy);
  const input = `${JSON.stringify(payload)}\n`;
  const result = await runCommand({ sandboxLaunch, cwd: payload.workspace, input, timeoutMs, signal });
  const [firstLine = ''] = (result.stdout.trim() || result.stderr.trim()).split('\n');
  const name = toPrintableLine(command[0], 80);
  const summary =
    firstLine === ''
      ? `${name} ${result.summary}`
      : `${name} ${result.summary}: ${toPrintableLine(firstLine, 300)}`;
  return { ok: result.kind === 'exited' && result.code === 0, summary };
}

/** Limits how long a hook function is awaited. The function is signaled to stop but cannot be forced to. */
export async function runHookFunction<Answer>(
  run: (signal: AbortSignal) => Answer | Promise<Answer>,
  timeoutMs: number = hookTimeoutMs,
  signal: AbortSignal,
): Promise<Answer> {
  const timeoutSignal = AbortSignal.timeout(timeoutMs);
  const combined = AbortSignal.any([signal, timeoutSignal]);
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void =>
    stopped.reject(
      new Error(timeoutSignal.aborted ? `it timed out after ${timeoutMs / 1_000} s` : 'it was cancelled'),
    );
  combined.addEventListener('abort', onAbort, { once: true });
  if (combined.aborted) onAbort();
  try {
    return await Promise.race([Promise.resolve().then(() => run(combined)), stopped.promise]);
  } finally {
    combined.removeEventListener('abort', onAbort);
  }
}
