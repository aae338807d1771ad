/**
 * Creates the screenshot of the live view in docs/images: the real command in a real terminal, with a local model.
 * Requires tmux and chromium. `npm run screenshots -w packages/dashboard` creates the dashboard screenshots.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startOpenAiServer } from '../packages/cli/test/openai-server.ts';
import { openTmuxPane } from '../packages/cli/test/tui/fixtures/tmux.ts';
import { ansiToHtml } from './screenshots/ansi.ts';
import { repositoryRoot } from './source-files.ts';
import { openBrowser } from './testing/browser.ts';

if (process.platform === 'win32')
  throw new Error('Pictures of the terminal are not supported on Windows: they need tmux.');

const folder = mkdtempSync(join(tmpdir(), 'pawl-picture-'));
const workFolder = join(folder, 'shop');
const server = await startOpenAiServer();
mkdirSync(workFolder);
writeFileSync(
  join(workFolder, 'total.js'),
  'export function total(order) {\n  return order.map(({ price }) => price).reduce((sum, price) => sum + price);\n}\n',
);
const originalCode = 'reduce((sum, price) => sum + price)';
server.says = (request) => {
  if (request === 1) return { tool: 'search', args: { query: 'total of an order' } };
  if (request === 2) return { tool: 'read', args: { path: 'total.js' } };
  const fixedCode = 'reduce((sum, price) => sum + price, 0)';
  return { tool: 'edit', args: { path: 'total.js', old: originalCode, new: fixedCode } };
};
const goal = 'The total of an order is wrong when it is empty. Find out why and fix it.';
const flags = ['--dir', workFolder, '--store', join(folder, 'sessions.db'), '--max-steps', '40'];
const model = ['--model', 'openai-compatible:local', '--base-url', server.url];
const bin = join(repositoryRoot, 'packages/cli/bin/pawl.js');
const terminalPane = await openTmuxPane([process.execPath, bin, 'run', ...flags, ...model, goal], {
  columns: 100,
  rows: 26,
  socket: join(folder, 'tmux'),
});
try {
  await terminalPane.waitForText('May this run?');
  await wait(600);
  await renderScreenshot(
    ansiToHtml(await terminalPane.captureColors()),
    join(repositoryRoot, 'docs', 'images', 'terminal.png'),
  );
} finally {
  await terminalPane.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function renderScreenshot(html: string, path: string): Promise<void> {
  const browser = await openBrowser();
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
