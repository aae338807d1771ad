/**
 * Makes the picture of the live view in docs/images: the real command in a real terminal, with a model on this machine. It needs
 * tmux and chromium. The pictures of the dashboard are made by `npm run screenshots -w packages/dashboard`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const pane = await openPane(
  [
    'sh',
    '-c',
    `mkdir -p ${work} && cd ${work} && git init -q && exec ${process.execPath} ${join(root, 'packages/cli/bin/pawl.js')} run --model openai-compatible:m --base-url ${server.url} --store ${join(folder, 'sessions.db')} --max-steps 40 --max-tool-calls 60 'The total of an order is wrong when it is empty. Find out why and mend it.'`,
  ],
  { columns: 110, rows: 34, socket: join(folder, 'tmux') },
);
try {
  writeFileSync(
    join(folder, 'total.js'),
    'export function total(order) {\n  return order.map(({ price }) => price).reduce((sum, price) => sum + price);\n}\n',
  );
  server.says = (request) => {
    if (request === 1)
      return { tool: 'write', args: { path: 'total.js', content: 'export const total = 1;\n' } };
    if (request === 2) return { tool: 'search', args: { query: 'total reduce' } };
    return {
      tool: 'edit',
      args: {
        path: 'total.js',
        old: 'total = 1',
        new: 'total = (order) => order.reduce((sum, { price }) => sum + price, 0)',
      },
    };
  };
  await pane.until('May this run?');
  await wait(600);
  await pane.press('y');
  await pane.until(/edit[^]*May this run\?/);
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
