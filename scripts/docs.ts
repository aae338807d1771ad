// `npm run docs` writes the generated pages; with --check it only lists the stale ones.
import { buildApiPages } from './api-pages.ts';
import { buildChartPages } from './chart-pages.ts';
import { buildCliPage } from './cli-page.ts';
import { buildConformancePages } from './conformance.ts';
import { buildEventsPages } from './events-page.ts';
import { buildGovernorPage } from './governor-page.ts';
import { buildHttpApiPage } from './http-api-page.ts';
import { buildSchemaPages } from './schema-pages.ts';
import { findStalePages, writeGeneratedPages, type GeneratedPage } from './pages.ts';

const pageGenerators: readonly (() => readonly GeneratedPage[] | Promise<readonly GeneratedPage[]>)[] = [
  buildConformancePages,
  buildEventsPages,
  buildGovernorPage,
  buildSchemaPages,
  buildCliPage,
  buildHttpApiPage,
  buildChartPages,
  buildApiPages,
];

try {
  const pages = await Promise.all(pageGenerators.map(async (generate) => generate()));
  const stale = findStalePages(pages.flat());
  if (process.argv.includes('--check')) {
    for (const { path } of stale) console.error(`${path} is stale. Regenerate it: npm run docs`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    writeGeneratedPages(stale);
    for (const { path } of stale) console.log(`wrote ${path}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
