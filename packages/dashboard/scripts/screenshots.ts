/**
 * Creates the dashboard screenshots in docs/images from sessions that really ran: `npm run screenshots -w
 * packages/dashboard`. Requires /usr/bin/chromium.
 */
import { createSession } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import { Agent, resumeSession } from '@pawl/runtime';
import { createLibrarian } from '@pawl/runtime/models';
import { indexFolder } from '@pawl/runtime/search';
import { createLibrarianTools } from '@pawl/runtime/tools';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createRepairSession } from '../test/browser/recorded-sessions.ts';
import { endedProcess } from '../test/browser/scripted-world.ts';
import { startBrowserWorld, type BrowserWorld } from '../test/browser/browser-world.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const images = join(root, 'docs/images');

const desktopViewport = { viewport: { width: 1280, height: 800 } } as const;
const darkScheme = { ...desktopViewport, colorScheme: 'dark' } as const;
const phoneViewport = { viewport: { width: 390, height: 844 } } as const;

type ScreenshotSpec = {
  readonly name: string;
  readonly address: string;
  readonly on: BrowserContextOptions;
  /** A selector that exists once the page is complete. */
  readonly shows: string;
  readonly first?: (page: Page) => Promise<void>;
};

await mkdir(images, { recursive: true });
const scriptedWorld = await startBrowserWorld();
try {
  const asked = await askLibrarian(
    scriptedWorld,
    'What happens to a call that was running when the process ended?',
  );
  const repaired = await createStoredRepair(scriptedWorld, 'repair');
  const other = await createStoredRepair(
    scriptedWorld,
    'repair-again',
    'The sum is right; the test was wrong.',
  );
  const open = await createLiveRepair(scriptedWorld);
  for (const picture of listScreenshots({ asked, repaired, other, open }))
    await takeScreenshot(scriptedWorld, picture);
} finally {
  await scriptedWorld.close();
}

function listScreenshots(ids: {
  readonly asked: string;
  readonly repaired: string;
  readonly other: string;
  readonly open: string;
}): readonly ScreenshotSpec[] {
  const { asked, repaired, other, open } = ids;
  return [
    { name: 'runs', address: '#/', on: desktopViewport, shows: '.run-row a' },
    { name: 'runs-phone', address: '#/', on: phoneViewport, shows: '.run-row a' },
    {
      name: 'transcript',
      address: `#/s/${repaired}/transcript?at=58`,
      on: desktopViewport,
      shows: '.item.call',
    },
    { name: 'transcript-phone', address: `#/s/${open}/transcript`, on: phoneViewport, shows: '.decide' },
    {
      name: 'prompt',
      address: `#/s/${asked}/transcript`,
      on: darkScheme,
      shows: '.item.reply',
      first: openPrompt,
    },
    { name: 'events', address: `#/s/${repaired}/events?at=44`, on: darkScheme, shows: '.event-row.chosen' },
    { name: 'chart', address: `#/s/${repaired}/chart`, on: desktopViewport, shows: '.react-flow__node' },
    {
      name: 'timeline',
      address: `#/s/${repaired}/timeline`,
      on: desktopViewport,
      shows: '.view svg, .view canvas',
    },
    { name: 'why', address: `#/s/${repaired}/why`, on: desktopViewport, shows: '.view h2, .view h3' },
    { name: 'governor', address: `#/s/${repaired}/governor`, on: darkScheme, shows: '.view h2, .view h3' },
    {
      name: 'memory',
      address: `#/s/${repaired}/memory?at=40`,
      on: desktopViewport,
      shows: '.view h2, .view h3',
    },
    { name: 'approvals', address: '#/approvals', on: desktopViewport, shows: '.approval' },
    { name: 'compare', address: `#/compare?a=${repaired}&b=${other}`, on: desktopViewport, shows: 'main h2' },
    { name: 'fleet', address: '#/fleet', on: desktopViewport, shows: 'main h2' },
    { name: 'import', address: '#/import', on: desktopViewport, shows: 'main h1' },
    { name: 'keys', address: `#/s/${asked}/events`, on: darkScheme, shows: '.event-row', first: openHelp },
  ];
}

async function takeScreenshot(
  from: BrowserWorld,
  { name, address, on, shows, first }: ScreenshotSpec,
): Promise<void> {
  const page = await from.page('#/', on);
  await page.goto(`${from.url}/${address}`);
  await page.locator(shows).first().waitFor();
  await first?.(page);
  // Wait for layouts and graphics to finish.
  await page.waitForTimeout(1_200);
  const path = join(images, `dashboard-${name}.png`);
  await page.screenshot({ path });
  await page.context().close();
  const { size } = await stat(path);
  console.log(`${path} ${Math.ceil(size / 1_000)} kB`);
  if (page.problems.length > 0) throw new Error(`On ${address}: ${page.problems.join('; ')}`);
}

async function openPrompt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'exact prompt' }).last().click();
  await page.getByRole('dialog').locator('.part').first().waitFor();
}

async function openHelp(page: Page): Promise<void> {
  await page.keyboard.press('?');
}

/** Asks the librarian a question about these docs, without a model or a network. */
async function askLibrarian({ store }: BrowserWorld, question: string): Promise<string> {
  const id = 'ask-the-docs';
  const { settings } = findProfile('pawl') ?? { settings: {} };
  const folder = await indexFolder(join(root, 'docs'));
  const tools = createLibrarianTools(folder);
  const metadata = {
    dir: 'docs',
    model: 'librarian',
    profile: 'pawl',
    prompt: 'Answer from the documents in this folder, and say where it stands.',
    tools: tools.map(({ description }) => description),
  };
  await store.create(createSession({ id, at: Date.now(), settings }), endedProcess, { metadata });
  const { session, log } = await resumeSession(store, id, { owner: endedProcess });
  const agent = new Agent({ session, log, model: createLibrarian(), tools, prompt: metadata.prompt });
  await agent.sendMessage(question);
  await agent.waitUntilIdle();
  await agent.detach();
  folder[Symbol.dispose]();
  return id;
}

/** A repair with phases, retries, memory and a loop. */
async function createStoredRepair(
  into: BrowserWorld,
  id: string,
  answer: string | null = null,
): Promise<string> {
  const { session, events } = createRepairSession(id, Date.now() - 600_000);
  const last = events.at(-1);
  if (answer === null || last?.type !== 'model-replied') return into.keep(session, events);
  return into.keep(session, [...events.slice(0, -1), { ...last, text: answer }]);
}

/** A repair that waits for approval. */
async function createLiveRepair(into: BrowserWorld): Promise<string> {
  const id = await into.begin('Repair the sum in sum.js and run its tests', [
    { text: 'I look at the file first.', calls: [{ tool: 'read', args: { path: 'sum.js' } }] },
    {
      text: 'It subtracts where it should add. I put it right.',
      calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }],
    },
  ]);
  await into.until(id, 'awaitingPermission');
  return id;
}
