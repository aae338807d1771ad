import { spawnSync } from 'node:child_process';

/** Runs `promtool check metrics` on metrics; returns everything that it complains about. */
export function checkWithPromtool(metrics: string): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  return `${stdout}${stderr}${status === 0 ? '' : `exit code ${status}`}`;
}
