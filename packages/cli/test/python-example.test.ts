import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const example = join(root, 'examples/python/governed_agent.py');
const pawl = join(root, 'packages/cli/bin/pawl.js');

describe('the example in Python', { tags: ['python'] }, () => {
  it('is stopped after four identical calls and ends with an answer', () => {
    const { stdout, stderr, status } = spawnSync('python3', [example, process.execPath, pawl], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    });
    expect(stderr).toBe('');
    expect(stdout.match(/^ {2}read /gm)?.length).toBe(4);
    expect(stdout).toContain('governor: read was called 3 times in a row');
    expect(stdout).toMatch(/advice: You have called read 3 times in a row/);
    expect(stdout).toContain('answer: Here is what I know');
    expect(stdout).toMatch(/^stopped: read was called 4 times in a row/m);
    expect(status).toBe(0);
  });
});
