import { stripRequirementIds } from './ids.ts';
import type { SystemRequirement, OriginSystem } from './requirements.ts';

export type RequirementProof = { readonly id: string; readonly file: string; readonly title: string };

export type ConformanceData = {
  readonly systems: readonly OriginSystem[];
  readonly requirements: readonly SystemRequirement[];
  readonly showings: readonly RequirementProof[];
};

/** Renders the page as Markdown: counts per system, then one row per requirement. */
export function renderConformancePage({ systems, requirements, showings }: ConformanceData): string {
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
    ...sections.flatMap(({ name, items }) => ['', `## ${name}`, '', ...renderRequirementTable(items, byId)]),
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

function renderRequirementTable(
  items: readonly SystemRequirement[],
  byId: ReadonlyMap<string, readonly RequirementProof[]>,
): readonly string[] {
  const rows = items.map(
    ({ id, text }) => `| ${id} | ${escapeTableCell(text)} | ${renderProofs(byId.get(id) ?? [])} |`,
  );
  return ['| id | requirement | shown by |', '| --- | --- | --- |', ...rows];
}

function renderProofs(showings: readonly RequirementProof[]): string {
  if (showings.length === 0) return 'not shown yet';
  const files = Map.groupBy(showings, ({ file }) => file);
  return [...files]
    .map(([file, tests]) => `[${file}](../${file}): ${[...new Set(tests.map(renderProofTitle))].join('; ')}`)
    .join('<br>');
}

function renderProofTitle(showing: RequirementProof): string {
  return escapeTableCell(stripRequirementIds(showing.title).replaceAll(/[*_<]/g, String.raw`\$&`));
}

function escapeTableCell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
