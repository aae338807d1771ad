import { withoutIds } from './ids.ts';
import type { Requirement, System } from './requirements.ts';

export type Showing = { readonly id: string; readonly file: string; readonly title: string };

export type Conformance = {
  readonly systems: readonly System[];
  readonly requirements: readonly Requirement[];
  readonly showings: readonly Showing[];
};

/** The page as Markdown: counts for each system, then one row for each requirement. */
export function conformancePage({ systems, requirements, showings }: Conformance): string {
  const byId = Map.groupBy(showings, ({ id }) => id);
  const sections = systems.map(({ prefix, name }) => {
    const items = requirements.filter(({ id }) => id.startsWith(`${prefix}-`));
    return { name, items, shown: items.filter(({ id }) => byId.has(id)).length };
  });
  const total = requirements.length;
  const shown = requirements.filter(({ id }) => byId.has(id)).length;
  return [
    ...introduction,
    '| system | shown | asked for |',
    '| --- | ---: | ---: |',
    ...sections.map((section) => `| ${section.name} | ${section.shown} | ${section.items.length} |`),
    `| all | ${shown} | ${total} |`,
    ...sections.flatMap(({ name, items }) => ['', `## ${name}`, '', ...table(items, byId)]),
    '',
  ].join('\n');
}

const introduction = [
  '# Conformance',
  '',
  '<!-- Made by `npm run docs` from the titles of the tests; edits by hand are lost. -->',
  '',
  'Pawl unites four systems: Loom, Nexora, Savant and LKJAgent. Each thing that they ask for has a number, kept with one',
  'sentence in [requirements.tsv](requirements.tsv). Where they contradict each other or leave a question open, Pawl has',
  'settled it; those answers have numbers too. A test that shows one of them carries its number in square brackets in its',
  'title, and this page is made from those titles.',
  '',
];

function table(
  items: readonly Requirement[],
  byId: ReadonlyMap<string, readonly Showing[]>,
): readonly string[] {
  const rows = items.map(({ id, text }) => `| ${id} | ${cell(text)} | ${where(byId.get(id) ?? [])} |`);
  return ['| id | requirement | shown by |', '| --- | --- | --- |', ...rows];
}

function where(showings: readonly Showing[]): string {
  if (showings.length === 0) return 'not shown yet';
  const files = Map.groupBy(showings, ({ file }) => file);
  return [...files]
    .map(([file, tests]) => `[${file}](../${file}): ${[...new Set(tests.map(title))].join('; ')}`)
    .join('<br>');
}

function title(showing: Showing): string {
  return cell(withoutIds(showing.title).replaceAll(/[*_<]/g, String.raw`\$&`));
}

function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
