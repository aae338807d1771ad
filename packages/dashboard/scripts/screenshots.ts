/**
 * Makes the pictures of the dashboard in docs/images, from sessions that really ran:
 * `npm run screenshots -w packages/dashboard`. It needs /usr/bin/chromium.
 */
import { createSession, findProfile } from '@pawl/core';
import { Agent, createLibrarian, indexFolder, librarianTools, takeUp } from '@pawl/runtime';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { repairSession } from '../test/browser/recorded-sessions.ts';
import { endedProcess } from '../test/browser/scripted-world.ts';
import { noBrowser, start, type Started } from '../test/browser/started.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const images = join(root, 'docs/images');

const desk = { viewport: { width: 1280, height: 800 } } as const;
const dark = { ...desk, colorScheme: 'dark' } as const;
const phone = { viewport: { width: 390, height: 844 } } as const;

type Picture = {
  readonly name: string;
  readonly address: string;
  readonly on: BrowserContextOptions;
  /** What is there once the page is complete. */
  readonly shows: string;
  readonly first?: (page: Page) => Promise<void>;
};

if (noBrowser !== null) throw new Error(noBrowser);
await mkdir(images, { recursive: true });
const world = await start();
try {
  const asked = await askLibrarian(world, 'What happens to a call that was running when the process ended?');
  const repaired = await keptRepair(world, 'repair');
  const other = await keptRepair(world, 'repair-again', 'The sum is right; the test was wrong.');
  const open = await repairLive(world);
  for (const picture of pictures({ asked, repaired, other, open })) await take(world, picture);
} finally {
  await world.close();
}

function pictures(ids: {
  readonly asked: string;
  readonly repaired: string;
  readonly other: string;
  readonly open: string;
}): readonly Picture[] {
  const { asked, repaired, other, open } = ids;
  return [
    { name: 'runs', address: '#/', on: desk, shows: '.run-row a' },
    { name: 'runs-phone', address: '#/', on: phone, shows: '.run-row a' },
    { name: 'transcript', address: `#/s/${repaired}/transcript?at=58`, on: desk, shows: '.item.call' },
    { name: 'transcript-phone', address: `#/s/${open}/transcript`, on: phone, shows: '.decide' },
    { name: 'prompt', address: `#/s/${asked}/transcript`, on: dark, shows: '.item.reply', first: openPrompt },
    { name: 'events', address: `#/s/${repaired}/events?at=44`, on: dark, shows: '.event-row.chosen' },
    { name: 'chart', address: `#/s/${repaired}/chart`, on: desk, shows: '.react-flow__node' },
    { name: 'timeline', address: `#/s/${repaired}/timeline`, on: desk, shows: '.view svg, .view canvas' },
    { name: 'why', address: `#/s/${repaired}/why`, on: desk, shows: '.view h2, .view h3' },
    { name: 'governor', address: `#/s/${repaired}/governor`, on: dark, shows: '.view h2, .view h3' },
    { name: 'memory', address: `#/s/${repaired}/memory?at=40`, on: desk, shows: '.view h2, .view h3' },
    { name: 'approvals', address: '#/approvals', on: desk, shows: '.approval' },
    { name: 'compare', address: `#/compare?a=${repaired}&b=${other}`, on: desk, shows: 'main h2' },
    { name: 'fleet', address: '#/fleet', on: desk, shows: 'main h2' },
    { name: 'import', address: '#/import', on: desk, shows: 'main h1' },
    { name: 'keys', address: `#/s/${asked}/events`, on: dark, shows: '.event-row', first: openHelp },
  ];
}

async function take(from: Started, { name, address, on, shows, first }: Picture): Promise<void> {
  const page = await from.page('#/', on);
  await page.goto(`${from.url}/${address}`);
  await page.locator(shows).first().waitFor();
  await first?.(page);
  // Until layouts have settled and pictures are drawn.
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

/** A question to the librarian about these very docs: no model, no network. */
async function askLibrarian({ store }: Started, question: string): Promise<string> {
  const id = 'ask-the-docs';
  const { settings } = findProfile('pawl') ?? { settings: {} };
  const folder = await indexFolder(join(root, 'docs'));
  const tools = librarianTools(folder);
  const about = {
    dir: 'docs',
    model: 'librarian',
    profile: 'pawl',
    prompt: 'Answer from the documents in this folder, and say where it stands.',
    tools: tools.map(({ description }) => description),
  };
  await store.create(createSession({ id, at: Date.now(), settings }), endedProcess, { about });
  const { session, log } = await takeUp(store, id, { owner: endedProcess });
  const agent = new Agent({ session, log, model: createLibrarian(), tools, prompt: about.prompt });
  await agent.say(question);
  await agent.idle();
  await agent.leave();
  folder[Symbol.dispose]();
  return id;
}

/** A repair with phases, retries, memory and a loop. */
async function keptRepair(into: Started, id: string, answer: string | null = null): Promise<string> {
  const { session, events } = repairSession(id, Date.now() - 600_000);
  const last = events.at(-1);
  if (answer === null || last?.type !== 'model-replied') return into.keep(session, events);
  return into.keep(session, [...events.slice(0, -1), { ...last, text: answer }]);
}

/** A repair that stands still until somebody allows it. */
async function repairLive(into: Started): Promise<string> {
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
