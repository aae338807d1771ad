import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const entry = fileURLToPath(new URL('../../bin/pawl-hook.cjs', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'pawl-hook-process-'));

/** Runs the entry as a host would. */
function runHookProcess(
  args: readonly string[],
  input: unknown,
  file = entry,
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, XDG_DATA_HOME: data } });
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
    child.on('close', (code) => resolve({ code, ...output }));
    child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  });
}

const createFailureInput = (session_id: string) => ({
  session_id,
  hook_event_name: 'PostToolUseFailure',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  error: 'Exit code 1',
});

describe('the hook process', () => {
  it('keeps its state between processes', async () => {
    expect(await runHookProcess(['claude'], createFailureInput('one'))).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    const second = await runHookProcess(['claude'], createFailureInput('one'));
    expect(JSON.parse(second.out)).toHaveProperty('hookSpecificOutput.additionalContext');
    expect((await runHookProcess(['claude'], createFailureInput('two'))).out).toBe('');
  });

  it('still runs from the entry of earlier installations', async () => {
    const former = fileURLToPath(new URL('../../bin/pawl-hook.js', import.meta.url));
    await runHookProcess(['claude'], createFailureInput('former'), former);
    const second = await runHookProcess(['claude'], createFailureInput('former'), former);
    expect(JSON.parse(second.out)).toHaveProperty('hookSpecificOutput.additionalContext');
  });

  it('loses no call if a hook is killed after it answered, or while it runs', async () => {
    const events = { ...createFailureInput('killed'), hook_event_name: 'PostToolUse', error: undefined };
    let answered = 0;
    for (let index = 0; index < 8; index += 1) {
      const input = { ...events, tool_input: { index }, tool_response: 'x'.repeat(index + 1) };
      const child = spawn(process.execPath, [entry, 'claude'], {
        env: { ...process.env, XDG_DATA_HOME: data },
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), index * 20);
      child.stdin.on('error', () => {}).end(JSON.stringify(input));
      const code = await new Promise((resolve) => void child.on('close', resolve));
      clearTimeout(timer);
      if (code === 0) answered += 1;
    }
    const last = await runHookProcess(['claude'], {
      ...events,
      tool_input: { index: 99 },
      tool_response: 'y',
    });
    expect(last).toEqual({ code: 0, out: '', err: '' });
    const asked = { ...createFailureInput('killed'), hook_event_name: 'PreToolUse' };
    const limit = String(answered + 1);
    expect((await runHookProcess(['claude', '--max-tool-calls', limit], asked)).out).toContain('"deny"');
  });

  it('loses no call if many hooks run concurrently', async () => {
    const asked = { ...createFailureInput('many'), hook_event_name: 'PreToolUse' };
    const at = { ...createFailureInput('many'), hook_event_name: 'PostToolUse', error: undefined };
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        runHookProcess(['claude'], { ...at, tool_input: { index }, tool_response: 'x'.repeat(index + 1) }),
      ),
    );
    expect(ends).toEqual(Array.from({ length: 12 }, () => ({ code: 0, out: '', err: '' })));
    expect((await runHookProcess(['claude', '--max-tool-calls', '13'], asked)).out).toBe('');
    expect((await runHookProcess(['claude', '--max-tool-calls', '12'], asked)).out).toContain('"deny"');
  });

  it('lets the agent continue, with a warning, after any error', async () => {
    for (const [args, input] of [
      [['claude'], 'nonsense'],
      [['windsurf'], createFailureInput('x')],
      [['claude', '--max-tool-calls', 'many'], createFailureInput('x')],
    ] as const) {
      const { code, out, err } = await runHookProcess(args, input);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^pawl hook: [^\n]+\n$/);
    }
  });
});
