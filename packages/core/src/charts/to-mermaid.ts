import type { Chart, ChartState } from './chart.ts';
import { edgesOf, labelsOf, type ChartEdge } from './edges.ts';
import { statesOf } from './states.ts';

/** A Mermaid `stateDiagram-v2`, as GitHub and most viewers of Markdown draw it. */
export function toMermaid(chart: Chart): string {
  const states = statesOf(chart);
  const ids = idsFor(states);
  const idOf = (name: string): string => ids.get(name) ?? '';
  const lines = [
    ...states.map((state) => declaration(state, idOf(state.name))),
    `[*] --> ${idOf(chart.initial)}`,
    ...edgesOf(states).map((edge) => arrow(edge, idOf)),
    ...states.filter((state) => state.kind === 'terminal').map((state) => `${idOf(state.name)} --> [*]`),
    ...classes(states, idOf),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/**
 * Plain words stand for themselves, unless they are keywords or something that every object has. Any other name is shown
 * in quotes and gets a number for an id.
 */
function idsFor(states: readonly ChartState[]): ReadonlyMap<string, string> {
  const taken = new Set(states.map((state) => state.name.toLowerCase()));
  let number = 0;
  return new Map(
    states.map(({ name }) => {
      if (isPlain(name)) return [name, name];
      do number += 1;
      while (taken.has(`s${number}`));
      return [name, `s${number}`];
    }),
  );
}

function isPlain(name: string): boolean {
  return /^[a-z][a-z0-9]*$/iu.test(name) && !keywords.has(name.toLowerCase()) && !(name in {});
}

/** Words that mean something to Mermaid. */
const keywords: ReadonlySet<string> = new Set([
  'accdescr',
  'acctitle',
  'as',
  'class',
  'classdef',
  'click',
  'default',
  'direction',
  'end',
  'fork',
  'hide',
  'href',
  'join',
  'note',
  'root',
  'scale',
  'state',
  'statediagram',
  'style',
]);

function declaration({ name }: ChartState, id: string): string {
  return id === name ? id : `state "${escapeText(name) || 'no name'}" as ${id}`;
}

function arrow({ from, to, moves }: ChartEdge, idOf: (name: string) => string): string {
  const labels = labelsOf(moves)
    .map(escapeText)
    .filter((label) => label !== '');
  const label = labels.join('<br/>');
  return `${idOf(from)} --> ${idOf(to)}${label === '' ? '' : ` : ${label}`}`;
}

/** Text that stays text: in Mermaid's own entities, a character's number between # and ;. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll(unsafe, (found) => `#${found.codePointAt(0)};`);
}

/**
 * ASCII punctuation, but for what is harmless where it stands; the first letter of what would turn the diagram round;
 * and the two letters by which Mermaid marks entities while it works.
 */
const unsafe =
  /[!-+/:-@\\^`{-~ﬂ¶]|(?<![\p{L}\p{N}])[-_.]|[-_](?![\p{L}\p{N}])|(?<=\d)\.|\[(?=\[)|d(?=irection )/giu;

function classes(states: readonly ChartState[], idOf: (name: string) => string): readonly string[] {
  return [...Map.groupBy(states, (state) => state.kind)].flatMap(([kind, group]) => [
    `classDef ${kind} ${styles[kind]}`,
    `class ${group.map((state) => idOf(state.name)).join(', ')} ${kind}`,
  ]);
}

/** Colours that carry dark text, so that they read on a light page and on a dark one. */
const styles: Readonly<Record<ChartState['kind'], string>> = {
  waiting: 'fill:#ddf4ff,stroke:#0969da,color:#1f2328',
  passing: 'fill:#f6f8fa,stroke:#818b98,color:#1f2328,stroke-dasharray:4 3',
  terminal: 'fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-width:2px',
};
