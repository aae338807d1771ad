import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const examples = join(root, 'examples');

/** The text that each example must print, to detect an example that runs without showing anything. */
const expectedOutputs: Record<string, RegExp> = {
  '01-ask-a-folder.ts': /\w+\.md:\d+/,
  '03-own-loop.ts': /halted after 4 of 101 calls/,
  '02-pure-machine.ts': /model-replied → waitingForUser: wait/,
  '04-code-review-modes.ts': /judging: add_comment → commenting/,
  '05-research-modes.ts': /gathering → out_of_leads \(gathering has lasted 3 steps\)/,
  '07-tools-and-permission.ts': /Hello, world\.\nThe greeting is spelt right now/,
  '06-support-modes.ts': /there is no state "on holiday"/,
  '08-resume-after-kill.ts':
    /ended by SIGKILL\ndone: .*Ada.*\ninterrupted: .*Check its effects before you repeat it.*\n.*\nletters sent: to Ada, to Ben\n$/,
  '09-own-rule.ts': /reading-only advises: .*\nreading-only ends it after 12 calls/,
  '10-budget-ends-in-an-answer.ts': /^The first 3 pages are about plants\.\nasked 5 times.*\nended by budget/,
  '11-replay-and-fork.ts': /replayed 5 events: the same state\nforked at 4: Go at one\./,
  '12-approval-from-elsewhere.ts': /^waits for permission\ntold from elsewhere: Version 2 is out\./,
};

describe('examples', () => {
  it.each(readdirSync(examples).filter((name) => name.endsWith('.ts')))(
    '%s runs and shows its point',
    async (name) => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(examples, name)], {
        cwd: root,
      });
      expect(stdout).toMatch(expectedOutputs[name] ?? 'every example says here what it shows');
      expect(stderr).toBe('');
    },
  );
});

describe('README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');

  it('contains the first example verbatim', () => {
    const [, block] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    expect(block).toBe(readFileSync(join(examples, '01-ask-a-folder.ts'), 'utf8'));
  });

  it('has fewer than 160 lines, with the output of the demo, and no broken links', () => {
    expect(readme.split('\n').length).toBeLessThan(160);
    const targets = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });
});
