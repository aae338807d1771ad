import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { startDashboard, type RunningDashboard } from '../../src/index.ts';
import { createScriptedWorld, type ScriptedWorld } from './scripted-world.ts';

const assets = fileURLToPath(new URL('../../dist', import.meta.url));

/** A running dashboard with real sessions, and a browser that is logged in. */
export type BrowserWorld = ScriptedWorld & {
  readonly url: string;
  readonly token: string;
  /**
   * Opens a page at an address such as `#/s/<id>/events` and collects its errors. With options it has its own browser
   * context; other pages share one with a warm cache.
   */
  page(address?: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  /** Closes all pages, because an open page keeps following its session. */
  closePages(): Promise<void>;
  /** Stops the server; `startServer` starts it again on the same port. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
};

export type OpenedPage = Page & { readonly problems: string[] };

export async function startBrowserWorld(): Promise<BrowserWorld> {
  const world = await createScriptedWorld();
  const token = 'a-token-for-tests-in-a-browser';
  const options = { store: world.store, host: world.host, assets, token, pollMs: 50, version: 'test' };
  let server: RunningDashboard = await startDashboard(options);
  const { port, url } = server;
  const browser = await openBrowser();
  const logIn = async (context: BrowserContext): Promise<BrowserContext> => {
    const page = await context.newPage();
    await page.goto(server.loginUrl());
    await page.close();
    return context;
  };
  const shared = await logIn(await browser.newContext());
  const opened = new Set<Page>();
  return {
    ...world,
    url,
    token,
    async page(address = '#/', ownOptions) {
      const context = ownOptions === undefined ? shared : await logIn(await browser.newContext(ownOptions));
      const page = await context.newPage();
      opened.add(page);
      // Shorter than the test timeout, so that the failed wait is reported.
      page.setDefaultTimeout(120_000);
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      await page.goto(`${url}/${address}`);
      return Object.assign(page, { problems });
    },
    async closePages() {
      const all = [...opened];
      opened.clear();
      await Promise.all(all.map((page) => (page.context() === shared ? page : page.context()).close()));
    },
    stopServer: () => server.close(),
    async startServer() {
      server = await startDashboard({ ...options, port });
    },
    async close() {
      await browser.close();
      await server.close();
      await world.close();
    },
  };
}
