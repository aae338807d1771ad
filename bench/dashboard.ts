import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findBrowser } from '../scripts/testing/browser.ts';
import { measureFirstView } from '../packages/dashboard/test/browser/measure.ts';
import { startBrowserWorld } from '../packages/dashboard/test/browser/browser-world.ts';
import { createLongRun } from '../packages/dashboard/test/web/long-run.ts';
import { formatAim, createUpperAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { formatSpread } from './lib/format-figures.ts';
import { readBenchOptions } from './lib/options.ts';
import { summarizeSamples, type SampleSummary } from './lib/statistics.ts';
import { formatBenchTable } from './lib/table.ts';

const help = `Usage: node bench/dashboard.ts [--quick] [--json]

Times opening a session of 10,000 events in Chromium, with a cold and a warm browser, and measures the size of the pages.

  --quick   one round each
  --json    print the results as JSON
  --help    show this help`;

const eventCount = 10_000;
const distFolder = join(import.meta.dirname, '..', 'packages', 'dashboard', 'dist');

const toTimingRow = (name: string, summary: SampleSummary): string[] => [
  name,
  summary.median.toFixed(0),
  formatSpread(summary),
];
const formatKilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

type AssetWeight = {
  readonly name: string;
  readonly bytes: number;
  readonly packed: number;
  /** Whether the file is loaded with the first page; the others load with the view that needs them. */
  readonly isAtOnce: boolean;
};

/** Measures the size of every file of the web app, raw and compressed as sent. */
function weighAssets(): readonly AssetWeight[] {
  const page = readFileSync(join(distFolder, 'index.html'), 'utf8');
  return readdirSync(join(distFolder, 'assets')).map((name) => {
    const content = readFileSync(join(distFolder, 'assets', name));
    return {
      name,
      bytes: content.length,
      packed: gzipSync(content).length,
      isAtOnce: page.includes(`assets/${name}`),
    };
  });
}

async function measureViews(
  rounds: number,
): Promise<{ readonly first: SampleSummary; readonly again: SampleSummary }> {
  const world = await startBrowserWorld();
  try {
    const { created, events: kept } = createLongRun(eventCount, { id: 'long' });
    await world.keep(created, kept);
    const first: number[] = [];
    const again: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Start logged in on the session list, with the shared code loaded, like a user who opens a session.
      const page = await world.page('#/', {});
      first.push(await measureFirstView(page, world.url, 'long', eventCount));
      again.push(await measureFirstView(page, world.url, 'long', eventCount));
      await page.context().close();
    }
    return { first: summarizeSamples(first), again: summarizeSamples(again) };
  } finally {
    await world.close();
  }
}

const options = readBenchOptions(help);
if (options !== null && findBrowser() === null) {
  console.error('This needs Chromium: apt-get install chromium');
} else if (options !== null) {
  const on = readBenchMachine();
  const rounds = options.quick ? 1 : 7;
  const { first, again } = await measureViews(rounds);
  const files = weighAssets();
  const aims = [createUpperAim('ms until a session of 10,000 events is shown', 1_000, first.median)];
  if (options.json)
    console.log(JSON.stringify({ environment: on, rounds, first, again, files, aims }, null, 2));
  else {
    const { node, cpu, cores, load } = on;
    const all = files.filter(({ name }) => !name.startsWith('elk'));
    const sum = (which: readonly AssetWeight[], of: 'bytes' | 'packed'): string =>
      formatKilobytes(which.reduce((total, file) => total + file[of], 0));
    const entry = all.filter(({ isAtOnce }) => isAtOnce);
    const layout = files.filter(({ name }) => name.startsWith('elk'));
    console.log(
      [
        `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nFrom the start of the navigation until the last of 10,000 events is there; medians of ${rounds} rounds in Chromium`,
        formatBenchTable(
          ['10,000 events', 'ms', 'min..max'],
          [toTimingRow('first view', first), toTimingRow('again', again)],
        ),
        formatBenchTable(
          ['pages', 'kB', 'kB as sent'],
          [
            ['loaded at once', sum(entry, 'bytes'), sum(entry, 'packed')],
            ['all views', sum(all, 'bytes'), sum(all, 'packed')],
            ['layout of charts', sum(layout, 'bytes'), sum(layout, 'packed')],
          ],
        ),
        aims.map(formatAim).join('\n'),
      ].join('\n\n'),
    );
  }
}
