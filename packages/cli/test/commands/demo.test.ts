import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import stringWidth from 'string-width';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-demo-test-'));
  // Everything that the demo writes is below this folder.
  for (const name of ['TMPDIR', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(name, folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** With `columns`, standard output is a terminal of this width. */
async function runDemoCommand(args: readonly string[] = [], columns: number | null = null): Promise<string> {
  const { io, out, err } = captureIo();
  const stdout = columns === null ? io.stdout : Object.assign(io.stdout, { isTTY: true, columns });
  expect(await main(['demo', ...args], { ...io, stdout })).toBe(0);
  expect(err()).toBe('');
  return out();
}

type DemoRunJson = {
  readonly lines: readonly string[];
  readonly requests: number;
  readonly tokens: number;
  readonly answer: string | null;
  readonly verdicts: readonly { readonly severity: string; readonly rule: string }[];
};

async function readDemoJson(): Promise<{
  readonly withoutPawl: DemoRunJson;
  readonly withPawl: DemoRunJson;
}> {
  return JSON.parse(await runDemoCommand(['--json'])) as Awaited<ReturnType<typeof readDemoJson>>;
}

describe('pawl demo', () => {
  it('runs the bare loop to its limit, and ends the loop with an answer under the governor', async () => {
    const { withoutPawl, withPawl } = await readDemoJson();
    expect(withoutPawl).toMatchObject({ requests: 30, answer: null, verdicts: [] });
    expect(withoutPawl.lines.filter((line) => line === '  Editing greet.js failed:')).toHaveLength(29);
    expect(withPawl.requests).toBeLessThan(10);
    expect(withPawl.answer).toBe('I could not change greet.js: my edit never matched.');
    expect(withPawl.tokens).toBeLessThan(withoutPawl.tokens / 4);
    const severities = withPawl.verdicts.filter(({ rule }) => rule === 'repeated-failure');
    expect(severities.map(({ severity }) => severity)).toEqual(['advise', 'block', 'stop']);
  });

  it('prints the totals of both runs, and keeps nothing', async () => {
    const { withoutPawl, withPawl } = await readDemoJson();
    const text = await runDemoCommand();
    for (const { requests, tokens } of [withoutPawl, withPawl])
      expect(text).toContain(`\n${requests} requests, about ${tokens.toLocaleString('en')} tokens\n`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shows the runs side by side from 100 columns on, and one after the other below', async () => {
    const wide = (await runDemoCommand([], 100)).trimEnd().split('\n').slice(2);
    const gaps = new Set(wide.map((line) => stringWidth(line.split('│')[0] ?? '')));
    expect(gaps.size).toBe(1);
    expect(wide[0]).toMatch(/^Without Pawl +│ With Pawl$/);
    expect(wide.at(-1)).toMatch(/^30 requests, .* │ \d requests, /);
    for (const line of wide) expect(stringWidth(line)).toBeLessThanOrEqual(100);
    const narrow = (await runDemoCommand([], 99)).split('\n');
    expect(narrow.indexOf('With Pawl')).toBeGreaterThan(narrow.indexOf('Without Pawl'));
    for (const line of narrow) expect(stringWidth(line)).toBeLessThanOrEqual(99);
  });

  it('prints what the README shows', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');
    const [, block] = /npx pawl demo\n```\n\n```text\n(.*?)\n```\n/s.exec(readme) ?? [];
    expect(block).toBe((await runDemoCommand()).trimEnd());
  });
});
