import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { auditFiles, type AuditOptions } from '../../src/commands/audit/action.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';
import {
  createClaudeCodeSession,
  createCodexSession,
  healthyCalls,
  repeatFailingCall,
  writeJsonLines,
} from './agent-sessions.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-audit-html-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const hostile =
  '<script>document.title = "owned"</script></style></title><img src="http://evil.test/x" onerror="document.title=\'owned\'">"\'&amp;\u001b[31m\u202egnp.exe\u0000';

async function writeReport(options: Partial<AuditOptions> = {}, traces = join(folder, 'traces')) {
  const html = join(folder, 'report.html');
  const captured = captureIo();
  const code = await auditFiles([traces], { format: 'report', html, ...options }, captured.io);
  return { code, html, page: readFileSync(html, 'utf8'), stdout: captured.out(), stderr: captured.err() };
}

function saveSessions(): void {
  const traces = join(folder, 'traces');
  writeJsonLines(traces, 'fine.jsonl', createClaudeCodeSession('claude-fine', healthyCalls));
  writeJsonLines(traces, 'small.jsonl', createClaudeCodeSession('claude-stuck', repeatFailingCall(6)));
  const calls = repeatFailingCall(20, 'npm test', 'npm error Missing script: test');
  writeJsonLines(traces, 'large.jsonl', createCodexSession('codex-stuck', calls));
}

function saveHostileSession(): void {
  const calls = repeatFailingCall(6, hostile, hostile);
  writeJsonLines(join(folder, 'traces'), 'hostile.jsonl', createClaudeCodeSession(hostile, calls));
}

describe('pawl audit --html', () => {
  it('writes a page with the totals and the stuck runs, and prints the report as well', async () => {
    saveSessions();
    const { code, page, html, stdout, stderr } = await writeReport();
    expect(code).toBe(3);
    expect(stdout).toContain('3 runs: 2 stuck');
    expect(stderr).toBe(`Wrote ${JSON.stringify(html)}.\n`);
    expect(page).toMatch(/^<!doctype html><!-- pawl audit -->\n<html lang="en">/);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toContain('claude-fine');
    expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'traces']);
  });

  it('has no stuck run if all runs are healthy', async () => {
    writeJsonLines(join(folder, 'traces'), 'fine.jsonl', createClaudeCodeSession('a', healthyCalls));
    const { code, page } = await writeReport();
    expect(code).toBe(0);
    expect(page).toContain('of 1 run stuck');
    expect(page).not.toContain('Stuck runs');
    expect(page).not.toContain('By rule');
  });

  it('shows as many stuck runs as --top says', async () => {
    saveSessions();
    const { page } = await writeReport({ top: '1' });
    expect(page.match(/<details class="run"/g)).toHaveLength(1);
    expect(page).toContain('1 more stuck run;');
  });

  it('is also written with the other formats', async () => {
    saveSessions();
    const { page, stdout } = await writeReport({ format: 'json' });
    expect(page).toContain('Stuck runs');
    expect(JSON.parse(stdout).totals.runs).toBe(3);
  });

  it('escapes everything from a trace', async () => {
    saveHostileSession();
    const { page } = await writeReport();
    // oxlint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
    expect(page).not.toMatch(/<script|<img|<[^>]*\son\w+=/);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page).toContain('&#60;script&#62;');
  });

  it('replaces only its own reports', async () => {
    saveSessions();
    await writeReport();
    const { html } = await writeReport();
    writeFileSync(html, '<p>mine</p>');
    await expect(writeReport()).rejects.toThrow(
      new UsageError(
        `Cannot write ${JSON.stringify(html)}: it exists and is not a report of pawl audit. Choose another file.`,
      ),
    );
    expect(readFileSync(html, 'utf8')).toBe('<p>mine</p>');
    expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'traces']);
  });

  it('is not written if there is no run', async () => {
    writeFileSync(join(folder, 'empty.jsonl'), '');
    await expect(writeReport({}, join(folder, 'empty.jsonl'))).rejects.toThrow('No recorded runs');
    expect(existsSync(join(folder, 'report.html'))).toBe(false);
  });

  it('fails with one error if its folder does not exist', async () => {
    saveSessions();
    await expect(writeReport({ html: join(folder, 'none', 'report.html') })).rejects.toThrow(
      'its folder does not exist.',
    );
  });
});

describe('the page of pawl audit --html in a browser', { tags: ['chromium'] }, () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function openReport(file: string, colorScheme: 'light' | 'dark' = 'light') {
    if (browser === undefined) throw new Error('There is no browser.');
    const page: Page = await browser.newPage({ colorScheme });
    const [requests, errors]: [string[], string[]] = [[], []];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(pathToFileURL(file).href);
    return { page, requests, errors };
  }

  it('shows the charts and the evidence without network access', async () => {
    saveSessions();
    const { html } = await writeReport();
    const { page, requests, errors } = await openReport(html);
    expect(requests).toEqual([pathToFileURL(html).href]);
    expect(errors).toEqual([]);
    expect(await page.locator('section > h2').allTextContents()).toEqual([
      'Over time',
      'By rule',
      'By tool',
      'By source',
      'Stuck runs, most wasteful first',
    ]);
    for (const figure of await page.locator('figure svg').all()) {
      const box = await figure.boundingBox();
      expect(box?.width).toBeGreaterThan(300);
      expect(box?.height).toBeGreaterThan(20);
    }
    expect(await page.locator('details.run summary b').allTextContents()).toEqual([
      'claude-stuck',
      'codex-stuck',
    ]);
    const cells = await page.locator('details.run').first().locator('tbody tr').first().locator('td').all();
    expect(await Promise.all(cells.map((cell) => cell.innerText()))).toEqual([
      '1',
      'Bash',
      '{"command":"make"}',
      'error: make: no rule',
    ]);
    await page.close();
  });

  it('shows hostile texts literally and runs none of them', async () => {
    saveHostileSession();
    const { html } = await writeReport();
    const { page, requests, errors } = await openReport(html);
    expect(await page.title()).toBe('Audit of recorded runs');
    expect(await page.locator('script, img, iframe, object, link').count()).toBe(0);
    expect(await page.locator('details.run summary b').innerText()).toContain(
      '<script>document.title = "owned"</script></style>',
    );
    expect([requests.length, errors]).toEqual([1, []]);
    await page.close();
  });

  it('follows the color scheme of the reader, and fits a phone screen', async () => {
    saveSessions();
    saveHostileSession();
    const { html } = await writeReport();
    const grounds: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await openReport(html, scheme);
      grounds.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await page.close();
    }
    expect(grounds).toEqual(['rgb(252, 252, 251)', 'rgb(20, 23, 28)']);
  });
});
