import { beforeAll, describe, expect, it } from 'vitest';
import { hostClients } from './clients.ts';
import { installClient, type InstalledClient } from './install-client.ts';
import { findRunFault } from './judge-run.ts';
import { runClient } from './run-client.ts';
import { hostScripts } from './scripts.ts';

/** Two scripts through the proxy; `npm run test:hosts` runs all scripts, also with hooks and without the governor. */
const scripts = hostScripts.filter(({ name }) => name === 'same call' || name === 'reading');

describe.each(hostClients)('$title', { tags: ['linux'] }, (client) => {
  let installed: InstalledClient | string = 'not installed yet';
  beforeAll(async () => {
    installed = await installClient(client);
  }, 600_000);

  it.each(scripts)('is governed by the proxy: $name', { timeout: 180_000 }, async (script) => {
    if (typeof installed === 'string')
      return console.warn(`${client.title} cannot be installed: ${installed}`);
    const run = await runClient(client, script, { governedBy: 'proxy', folder: installed.folder });
    expect(findRunFault(run, script), run.output.slice(-2_000)).toBeNull();
  });
});
