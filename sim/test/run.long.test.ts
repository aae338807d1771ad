import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { soakTimeoutMs } from './limits.ts';

const program = join(import.meta.dirname, '..', 'run.ts');

function runSimCommand(...options: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run sim', { timeout: soakTimeoutMs }, () => {
  it('runs seeds and prints totals', () => {
    const { status, stdout } = runSimCommand('--seeds', '20', '--from', '7', '--jobs', '1');
    expect(stdout).toMatch(
      /^20 seeds, \d+ events, [\d.]+ simulated hours, 0 run twice, \d+ late starts, 0 failed; \d+ seeds per minute\n$/,
    );
    expect(status).toBe(0);
  });

  it('produces the same run for the same seed', () => {
    const once = runSimCommand('--seed', '42');
    expect(once.stdout).toMatch(/^seed 42 passes: \d+ events, \d+ steps, [0-9a-f]{16}\n$/);
    expect(runSimCommand('--seed', '42')).toEqual(once);
  });

  it('shows a minimized failing run and how to rerun it', () => {
    const { status, stdout } = runSimCommand(
      '--bug',
      'acknowledge-before-append',
      '--seeds',
      '20',
      '--jobs',
      '1',
    );
    expect(stdout).toMatch(/Seed \d+ breaks invariant \d+: .+\.\n/);
    expect(stdout).toMatch(/Minimized run \(after \d+ tries\), with \d+ non-default choices/);
    expect(stdout).toMatch(/Rerun it with: npm run sim -- --seed \d+ --bug acknowledge-before-append\n$/);
    expect(status).toBe(1);
  });

  it('prints JSON', () => {
    const { stdout } = runSimCommand('--seeds', '5', '--jobs', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ seeds: 5, failures: [] });
  });

  it.each([
    [['--seeds', 'many'], '--seeds must be a whole number, got "many".\n'],
    [['--bug', 'none-such'], 'There is no planted bug named "none-such".'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('reports a usage error for %j in one line', (options, message) => {
    const { status, stderr } = runSimCommand(...options);
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(2);
  });
});
