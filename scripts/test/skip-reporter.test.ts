import { describe, expect, it } from 'vitest';
import type { TestRequirement } from '../testing/requirements.ts';
import { formatSkips } from '../testing/skip-reporter.ts';

function missingProgram(tag: string, brew: string | null): TestRequirement {
  const program = { tag, commands: [tag], apt: `${tag}-package`, brew, usedBy: `the ${tag} feature` };
  return { tag, usedBy: program.usedBy, problem: `${tag} is not installed`, program };
}

const requirements: readonly TestRequirement[] = [
  missingProgram('redis', 'redis'),
  missingProgram('strace', null),
  {
    tag: 'mount',
    usedBy: 'a full disk',
    problem: 'only root on Linux may mount a file system',
    program: null,
  },
  { tag: 'tmux', usedBy: 'the terminal UI', problem: null, program: null },
];

describe('formatSkips', () => {
  it('says nothing where no test was skipped', () => {
    expect(formatSkips([], requirements, 'linux')).toEqual([]);
  });

  it('counts each skipped test once, by what it lacks, and gives the command that installs it', () => {
    const skipped = [['redis'], ['redis', 'strace'], ['strace'], ['mount'], ['tmux'], []];
    expect(formatSkips(skipped, requirements, 'linux')).toEqual([
      'Skipped 6 tests:',
      '      2  redis is not installed (tests of the redis feature)',
      '      1  strace is not installed (tests of the strace feature)',
      '      1  only root on Linux may mount a file system (tests of a full disk)',
      '      2  for other reasons, such as this platform',
      'To run them, install what is missing: sudo apt-get install redis-package strace-package',
    ]);
  });

  it('names only what was needed, and gives no command where installing does not help', () => {
    expect(formatSkips([['mount']], requirements, 'linux')).toEqual([
      'Skipped 1 test:',
      '      1  only root on Linux may mount a file system (tests of a full disk)',
    ]);
  });

  it('uses Homebrew on macOS and gives no command on Windows', () => {
    const skipped = [['redis'], ['strace']];
    expect(formatSkips(skipped, requirements, 'darwin').at(-1)).toMatch(/: brew install redis$/);
    expect(formatSkips(skipped, requirements, 'win32').join('\n')).not.toContain('install what is missing');
  });
});
