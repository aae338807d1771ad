import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'examples', 'adapters');

/** Number of steps without the governor, which is each host's own limit. */
const limits: Readonly<Record<string, number>> = {
  'ai-sdk.ts': 20,
  'langchain.ts': 13,
  'langgraph.ts': 13,
  'mastra.ts': 20,
  'messages.ts': 20,
  'openai-agents.ts': 20,
};

describe('examples of adapters', () => {
  it('exist for each framework', () => {
    const hosts = readdirSync(folder).filter((name) =>
      readFileSync(join(folder, name), 'utf8').includes('@pawl/adapters/'),
    );
    expect(hosts.toSorted()).toEqual(Object.keys(limits));
  });

  it.each(Object.entries(limits))('%s loops alone and ends with an answer with Pawl', async (name, limit) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, name)], {
      cwd: root,
    });
    expect(stdout.trim().split('\n')).toEqual([
      `sameFile alone: ${limit} steps, no answer`,
      'sameFile with Pawl: 5 steps, I read notes.md 4 times. It says: ship on Friday.',
      `backAndForth alone: ${limit} steps, no answer`,
      'backAndForth with Pawl: 7 steps, After 6 tries neither make nor npm test works here.',
    ]);
    expect(stderr).toBe('');
  });
});
