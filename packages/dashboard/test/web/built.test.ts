import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { computeSourcesHash } from '../../scripts/sources-hash.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

describe('the built pages', () => {
  it('are up to date with the sources (rebuild with npm run build -w packages/dashboard)', () => {
    const built = JSON.parse(readFileSync(`${dist}/sources.json`, 'utf8')) as { readonly sources: string };
    expect(built.sources).toBe(computeSourcesHash());
  });

  it('have no source maps, inline scripts or external resources', () => {
    const html = readFileSync(`${dist}/index.html`, 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/u);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//u);
    const files = readdirSync(`${dist}/assets`);
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
    expect(files.length).toBeGreaterThan(2);
    for (const [, path = ''] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/gu)) {
      expect(existsSync(`${dist}/${path}`)).toBe(true);
    }
  });
});
