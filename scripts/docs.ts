// `npm run docs` writes the generated pages; with --check it only says which of them are stale.
import { chartPages } from './chart-pages.ts';
import { cliPage } from './cli-page.ts';
import { configPage } from './config-page.ts';
import { conformancePages } from './conformance.ts';
import { eventsPage } from './events-page.ts';
import { governorPage } from './governor-page.ts';
import { httpApiPage } from './http-api-page.ts';
import { stalePages, writePages, type Page } from './pages.ts';

const generators: readonly (() => readonly Page[])[] = [
  conformancePages,
  eventsPage,
  governorPage,
  configPage,
  cliPage,
  httpApiPage,
  chartPages,
];

try {
  const stale = stalePages(generators.flatMap((generate) => generate()));
  if (process.argv.includes('--check')) {
    for (const { path } of stale) console.error(`${path} is stale. Make it again: npm run docs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    writePages(stale);
    for (const { path } of stale) console.log(`wrote ${path}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
