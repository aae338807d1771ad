import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { traceFormats } from '@pawl/governor/traces';
import { describe, expect, it } from 'vitest';
import { readTraces } from '../../src/traces/read-traces.ts';
import { traceLimits } from '../../src/traces/trace-limits.ts';

const page = readFileSync(new URL('../../../../docs/trace-formats.md', import.meta.url), 'utf8');
const names = traceFormats.map(({ name }) => name);

function getPageSection(name: string): string {
  const [, rest = ''] = page.split(`\n## ${name}\n`);
  return rest.split(/\n## /)[0] ?? '';
}

function listPageExamples(text: string): readonly string[] {
  return [...text.matchAll(/^(`{3,4})jsonl\n(.*?)\n\1$/gms)].map(([, , block = '']) => block);
}

describe('the trace formats page', () => {
  it('lists exactly the supported formats', () => {
    const listed = [...page.matchAll(/^\| \[([\w-]+)\]\(#\1\)/gm)].map(([, name]) => name);
    expect(new Set(listed)).toEqual(new Set(names));
    expect(listed).toHaveLength(names.length);
  });

  it.each(names)('shows examples of %s that are read without a problem', async (name) => {
    const examples = listPageExamples(getPageSection(name));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const items = [];
      for await (const item of readTraces(['-'], { stdin: Readable.from([example]) })) items.push(item);
      expect(items).toMatchObject([{ run: { source: name === 'normalized' ? 'nightly' : name } }]);
    }
  });

  it('names the actual limit', () => {
    expect(page).toContain(`may have ${traceLimits.heldBytes / 1024 / 1024} MB`);
  });
});
