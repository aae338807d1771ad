import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { firstViewMs } from '../packages/dashboard/test/browser/measure.ts';
import { noBrowser, start } from '../packages/dashboard/test/browser/started.ts';
import { longRun } from '../packages/dashboard/test/web/long-run.ts';
import { aimLine, atMost } from './lib/aim.ts';
import { environment } from './lib/environment.ts';
import { spread } from './lib/figures.ts';
import { readOptions } from './lib/options.ts';
import { summarise, type Summary } from './lib/statistics.ts';
import { table } from './lib/table.ts';

const help = `Usage: node bench/dashboard.ts [--quick] [--json]

Opens a session of 10,000 events in Chromium, in a browser that has never been there and in one that has, and weighs the pages.

  --quick   once each
  --json    the same numbers as JSON
  --help    this text`;

const events = 10_000;
const dist = join(import.meta.dirname, '..', 'packages', 'dashboard', 'dist');

const row = (name: string, summary: Summary): string[] => [name, summary.median.toFixed(0), spread(summary)];
const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

type Weight = {
  readonly name: string;
  readonly bytes: number;
  readonly packed: number;
  /** Whether it is loaded with the first page; what is not comes with the view that needs it. */
  readonly isAtOnce: boolean;
};

/** Every file of the pages, as it is and packed as it is sent. */
function weights(): readonly Weight[] {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  return readdirSync(join(dist, 'assets')).map((name) => {
    const content = readFileSync(join(dist, 'assets', name));
    return {
      name,
      bytes: content.length,
      packed: gzipSync(content).length,
      isAtOnce: page.includes(`assets/${name}`),
    };
  });
}

async function views(rounds: number): Promise<{ readonly first: Summary; readonly again: Summary }> {
  const world = await start();
  try {
    const { created, events: kept } = longRun(events, { id: 'long' });
    await world.keep(created, kept);
    const first: number[] = [];
    const again: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Logged in, on the list of runs: what all pages share has been loaded, as for anybody who clicks on a run.
      const page = await world.page('#/', {});
      first.push(await firstViewMs(page, world.url, 'long', events));
      again.push(await firstViewMs(page, world.url, 'long', events));
      await page.context().close();
    }
    return { first: summarise(first), again: summarise(again) };
  } finally {
    await world.close();
  }
}

const options = readOptions(help);
if (options !== null && noBrowser !== null) console.log(`Not measured: ${noBrowser}.`);
else if (options !== null) {
  const on = environment();
  const rounds = options.quick ? 1 : 7;
  const { first, again } = await views(rounds);
  const files = weights();
  const aims = [atMost('ms until a session of 10,000 events is shown', 1_000, first.median)];
  if (options.json)
    console.log(JSON.stringify({ environment: on, rounds, first, again, files, aims }, null, 2));
  else {
    const { node, cpu, cores, load } = on;
    const all = files.filter(({ name }) => !name.startsWith('elk'));
    const sum = (which: readonly Weight[], of: 'bytes' | 'packed'): string =>
      kilobytes(which.reduce((total, file) => total + file[of], 0));
    const entry = all.filter(({ isAtOnce }) => isAtOnce);
    const layout = files.filter(({ name }) => name.startsWith('elk'));
    console.log(
      [
        `Node ${node}, ${cpu}, ${cores} cores, load ${load.toFixed(1)}\nFrom the start of the navigation until the last of 10,000 events is there; medians of ${rounds} rounds in Chromium`,
        table(['10,000 events', 'ms', 'min..max'], [row('first view', first), row('again', again)]),
        table(
          ['pages', 'kB', 'kB as sent'],
          [
            ['loaded at once', sum(entry, 'bytes'), sum(entry, 'packed')],
            ['all views', sum(all, 'bytes'), sum(all, 'packed')],
            ['layout of charts', sum(layout, 'bytes'), sum(layout, 'packed')],
          ],
        ),
        aims.map(aimLine).join('\n'),
      ].join('\n\n'),
    );
  }
}
