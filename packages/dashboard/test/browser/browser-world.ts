import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { startDashboard, type RunningDashboard } from '../../src/index.ts';
import { createScriptedWorld, type ScriptedWorld } from './scripted-world.ts';

const assets = fileURLToPath(new URL('../../dist', import.meta.url));

/** A dashboard that really runs, with sessions that really ran, and a browser that is let in. */
export type BrowserWorld = ScriptedWorld & {
  readonly url: string;
  readonly token: string;
  /**
   * A page at this address, such as `#/s/<id>/events`. With options it is in a browser of its own; the others share one, which
   * has loaded the pages before. Errors on it are collected.
   */
  page(address?: string, options?: BrowserContextOptions): Promise<OpenedPage>;
  /** Closes every page: one that is left open goes on following its session. */
  closePages(): Promise<void>;
  /** Ends the server, and starts it again on the same port when it is told to. */
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
  const letIn = async (context: BrowserContext): Promise<BrowserContext> => {
    const page = await context.newPage();
    await page.goto(server.loginUrl());
    await page.close();
    return context;
  };
  const shared = await letIn(await browser.newContext());
  const opened = new Set<Page>();
  return {
    ...world,
    url,
    token,
    async page(address = '#/', own) {
      const context = own === undefined ? shared : await letIn(await browser.newContext(own));
      const page = await context.newPage();
      opened.add(page);
      // Below the limit of a test, so that what was waited for in vain is named.
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
