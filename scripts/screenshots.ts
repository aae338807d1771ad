/**
 * Makes the picture of the live view in docs/images: the real command in a real terminal, with a model on this machine. It needs
 * tmux and chromium. The pictures of the dashboard are made by `npm run screenshots -w packages/dashboard`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startOpenAiServer } from '../packages/cli/test/openai-server.ts';
import { openPane } from '../packages/cli/test/tui/fixtures/tmux.ts';
import { ansiToHtml } from './screenshots/ansi.ts';
import { root } from './source-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-picture-'));
const work = join(folder, 'shop');
const server = await startOpenAiServer();
mkdirSync(work);
writeFileSync(
  join(work, 'total.js'),
  'export function total(order) {\n  return order.map(({ price }) => price).reduce((sum, price) => sum + price);\n}\n',
);
const old = 'reduce((sum, price) => sum + price)';
server.says = (request) => {
  if (request === 1) return { tool: 'search', args: { query: 'total of an order' } };
  if (request === 2) return { tool: 'read', args: { path: 'total.js' } };
  const mended = 'reduce((sum, price) => sum + price, 0)';
  return { tool: 'edit', args: { path: 'total.js', old, new: mended } };
};
const goal = 'The total of an order is wrong when it is empty. Find out why and mend it.';
const flags = ['--dir', work, '--store', join(folder, 'sessions.db'), '--max-steps', '40'];
const model = ['--model', 'openai-compatible:local', '--base-url', server.url];
const bin = join(root, 'packages/cli/bin/pawl.js');
const pane = await openPane([process.execPath, bin, 'run', ...flags, ...model, goal], {
  columns: 110,
  rows: 32,
  socket: join(folder, 'tmux'),
});
try {
  await pane.until('May this run?');
  await wait(600);
  await picture(ansiToHtml(await pane.coloured()), join(root, 'docs', 'images', 'terminal.png'));
} finally {
  await pane.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function picture(html: string, path: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, deviceScaleFactor: 1.5 });
    await page.setContent(
      `<body style="margin:0;background:#0d1117"><pre style="margin:0;padding:16px 20px;display:inline-block;color:#e6edf3;background:#0d1117;font:14px/1.3 'DejaVu Sans Mono',monospace">${html}</pre></body>`,
    );
    await page.locator('pre').screenshot({ path });
  } finally {
    await browser.close();
  }
}
