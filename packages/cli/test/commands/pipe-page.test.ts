import { eventTypes } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { buildEventsJsonSchema } from '@pawl/runtime/schema';
import { describe, expect, it } from 'vitest';
import { buildEventsPages } from '../../../../scripts/events-page.ts';
import { findStalePages } from '../../../../scripts/pages.ts';
import { toJsonLines, runPipeInput } from '../fixtures/run-pipe-input.ts';

const pages = buildEventsPages();
const page = pages.find(({ path }) => path === 'docs/events.md')?.text ?? '';
const schema = buildEventsJsonSchema();

/** The types that the schema gives to actions or notes. */
function listSchemaTypes(kind: 'Action' | 'Note'): readonly string[] {
  const refs = (schema.$defs[kind]?.['anyOf'] ?? []) as readonly { readonly $ref: string }[];
  return refs.map(({ $ref }) => {
    const definition = schema.$defs[$ref.replace('#/$defs/', '')];
    return (definition?.['properties'] as { type: { const: string } } | undefined)?.type.const ?? $ref;
  });
}

function getPageSection(heading: string): string {
  const [, rest = ''] = page.split(`\n### ${heading}\n`);
  return rest.split(/\n##/)[0] ?? '';
}

function parseJsonBlocks(text: string): readonly object[] {
  return [...text.matchAll(/```jsonl\n([^`]*)```/g)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  );
}

describe('the events page', () => {
  it('is up to date, like the schema on disk', () => {
    expect(findStalePages(pages).map(({ path }) => path)).toEqual([]);
  });

  it.each(eventTypes)('documents %s, with an example and the states that accept it', (type) => {
    const text = getPageSection(type);
    expect(parseJsonBlocks(text)).toMatchObject([{ type }]);
    const states = turnChart.states.filter(({ transitions }) => transitions.some(({ on }) => on === type));
    const accepted = /Accepted in ([^.]*)\./.exec(text)?.[1]?.match(/\w+(?=`)/g);
    expect(accepted).toEqual(states.map(({ name }) => name));
  });

  it('documents every action, with the events that answer it [LOOM-97]', () => {
    const actions = listSchemaTypes('Action');
    expect(actions).toHaveLength(13);
    for (const type of actions) expect(getPageSection(type)).toMatch(/Answered by \[|It has no answer/);
  });

  it('documents every note', () => {
    const notes = listSchemaTypes('Note');
    expect(notes).toHaveLength(7);
    for (const type of notes) expect(getPageSection(`${type} note`)).toContain('| `at` ');
  });

  it('describes every field and has no broken link', () => {
    expect(page.split('\n').filter((line) => /^\|.*\|\s*\|$/.test(line))).toEqual([]);
    const anchors = new Set(
      [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-')),
    );
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  it('shows a turn exactly as the pipe answers it', async () => {
    const pairs = parseJsonBlocks(getPageSection('One turn')).slice(0, -1);
    const input = pairs.filter((_, index) => index % 2 === 0);
    const output = pairs.filter((_, index) => index % 2 === 1);
    expect(input.length).toBeGreaterThan(4);
    expect((await runPipeInput(toJsonLines(...input), { state: 'status' })).answers).toEqual(output);
  });
});
