import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildApiPages } from '../api-pages.ts';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

const pages = buildApiPages();
const entries = listProjectFiles('packages')
  .filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))
  .flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as {
      readonly name: string;
      readonly exports?: object;
    };
    const page = `docs/api/${path.split('/')[1] ?? ''}.md`;
    return Object.keys(exports).map((subpath) => ({ specifier: name + subpath.slice(1), page }));
  });

function getSection(page: string, specifier: string): string {
  const text = pages.find(({ path }) => path === page)?.text ?? '';
  return text.split(/^## /m).find((section) => section.startsWith(`${specifier}\n`)) ?? '';
}

describe('the API reference', () => {
  it('has one page for each package that exports something', () => {
    const names = 'docs/api/README.md';
    expect(pages.map(({ path }) => path)).toEqual([...new Set(entries.map(({ page }) => page)), names]);
    expect(entries.length).toBeGreaterThan(10);
  });

  it.each(entries)('lists every value that $specifier exports', async ({ specifier, page }) => {
    const section = getSection(page, specifier);
    const exported = Object.keys((await import(specifier)) as object);
    expect(exported.length).toBeGreaterThan(0);
    expect(
      exported.filter((name) => !section.includes(`#### ${name}\n`) && !section.includes(`\`${name}\``)),
    ).toEqual([]);
  });

  it('shows the signature and the doc comment of a function, without its body', () => {
    expect(getSection('docs/api/telemetry.md', '@pawl/telemetry')).toContain(
      [
        '#### createTelemetry\n',
        'Creates the traces and metrics for all sessions of one process.\n',
        '```ts\nfunction createTelemetry(options: TelemetryOptions): TelemetryClient\n```',
      ].join('\n'),
    );
  });

  it('shows the public members of a class, without private ones', () => {
    const [, agent = ''] = getSection('docs/api/runtime.md', '@pawl/runtime').split('#### Agent\n');
    const [signature = ''] = agent.split('\n#### ');
    expect(signature).toContain('  sendMessage(text: string): Promise<boolean>;');
    expect(signature).not.toMatch(/^ {2}#/m);
  });

  it('refers to another package for re-exported names', () => {
    expect(getSection('docs/api/core.md', '@pawl/core')).toMatch(
      /^Re-exported from \[@pawl\/governor\]\(governor\.md\): .*`Verdict`/m,
    );
  });
});
