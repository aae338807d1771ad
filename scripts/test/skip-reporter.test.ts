import { describe, expect, it } from 'vitest';
import { listPlatformRequirements, type TestRequirement } from '../testing/requirements.ts';
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
  it('returns no lines if no test was skipped', () => {
    expect(formatSkips([], requirements, 'linux')).toEqual([]);
  });

  it('counts each skipped test once, by the first missing requirement, and prints the install command', () => {
    const skipped = [['redis'], ['redis', 'strace'], ['strace'], ['mount'], ['tmux'], []];
    expect(formatSkips(skipped, requirements, 'linux')).toEqual([
      'Skipped 6 tests:',
      '      2  redis is not installed (tests of the redis feature)',
      '      1  strace is not installed (tests of the strace feature)',
      '      1  only root on Linux may mount a file system (tests of a full disk)',
      '      2  for other reasons',
      'To run them, install what is missing: sudo apt-get install redis-package strace-package',
    ]);
  });

  it('lists only requirements of skipped tests, and prints no command if installing does not help', () => {
    expect(formatSkips([['mount']], requirements, 'linux')).toEqual([
      'Skipped 1 test:',
      '      1  only root on Linux may mount a file system (tests of a full disk)',
    ]);
  });

  it('prints a Homebrew command on macOS and none on Windows', () => {
    const skipped = [['redis'], ['strace']];
    expect(formatSkips(skipped, requirements, 'darwin').at(-1)).toMatch(/: brew install redis$/);
    expect(formatSkips(skipped, requirements, 'win32').join('\n')).not.toContain('install what is missing');
  });
});

describe('listPlatformRequirements', () => {
  it.each([
    ['linux', []],
    ['darwin', ['linux']],
    ['freebsd', ['linux']],
    ['win32', ['unix', 'linux']],
  ] as const)('on %s lacks %j', (platform, missingTags) => {
    const missing = listPlatformRequirements(platform).filter(({ problem }) => problem !== null);
    expect(missing.map(({ tag }) => tag)).toEqual(missingTags);
  });

  it('counts a test with a platform tag under the platform', () => {
    const windows = listPlatformRequirements('win32');
    expect(formatSkips([['unix'], ['unix', 'redis'], ['linux']], windows, 'win32')).toEqual([
      'Skipped 3 tests:',
      '      2  Windows is not a Unix system (tests of shells, signals, links and file modes)',
      '      1  this system is not Linux (tests of features of Linux)',
    ]);
  });
});
