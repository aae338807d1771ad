import {
  type Chart,
  type ChartState,
  buildChartEdges,
  listMoveLabels,
  type ChartEdge,
  listChartStates,
} from './chart.ts';

/** Renders a Mermaid `stateDiagram-v2`, as supported by GitHub and most Markdown viewers. */
export function toMermaid(chart: Chart): string {
  const states = listChartStates(chart);
  const ids = assignMermaidIds(states);
  const getId = (name: string): string => ids.get(name) ?? '';
  const lines = [
    ...states.map((state) => renderStateDeclaration(state, getId(state.name))),
    `[*] --> ${getId(chart.initial)}`,
    ...buildChartEdges(states).map((edge) => renderMermaidArrow(edge, getId)),
    ...states.filter((state) => state.kind === 'terminal').map((state) => `${getId(state.name)} --> [*]`),
    ...renderClassDefinitions(states, getId),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/**
 * A plain word is its own id, unless it is a keyword or a property of every object. Any other name is quoted and gets a
 * numbered id.
 */
function assignMermaidIds(states: readonly ChartState[]): ReadonlyMap<string, string> {
  const usedIds = new Set(states.map((state) => state.name.toLowerCase()));
  let number = 0;
  return new Map(
    states.map(({ name }) => {
      if (isPlainMermaidId(name)) return [name, name];
      do number += 1;
      while (usedIds.has(`s${number}`));
      return [name, `s${number}`];
    }),
  );
}

function isPlainMermaidId(name: string): boolean {
  return /^[a-z][a-z0-9]*$/iu.test(name) && !mermaidKeywords.has(name.toLowerCase()) && !(name in {});
}

/** Mermaid keywords. */
const mermaidKeywords: ReadonlySet<string> = new Set([
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

function renderStateDeclaration({ name }: ChartState, id: string): string {
  return id === name ? id : `state "${escapeMermaidText(name) || 'no name'}" as ${id}`;
}

function renderMermaidArrow({ from, to, moves }: ChartEdge, getId: (name: string) => string): string {
  const labels = listMoveLabels(moves)
    .map(escapeMermaidText)
    .filter((label) => label !== '');
  const label = labels.join('<br/>');
  return `${getId(from)} --> ${getId(to)}${label === '' ? '' : ` : ${label}`}`;
}

/** Escapes text with Mermaid entities: the character code between # and ;. */
function escapeMermaidText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replaceAll(unsafeMermaidPattern, (character) => `#${character.codePointAt(0)};`);
}

/**
 * ASCII punctuation, except where it is harmless; the first letter of `direction`, which would change the orientation
 * of the diagram; and the two characters Mermaid uses internally for entities.
 */
const unsafeMermaidPattern =
  /[!-+/:-@\\^`{-~ﬂ¶]|(?<![\p{L}\p{N}])[-_.]|[-_](?![\p{L}\p{N}])|(?<=\d)\.|\[(?=\[)|d(?=irection )/giu;

function renderClassDefinitions(
  states: readonly ChartState[],
  getId: (name: string) => string,
): readonly string[] {
  return [...Map.groupBy(states, (state) => state.kind)].flatMap(([kind, group]) => [
    `classDef ${kind} ${mermaidStateStyles[kind]}`,
    `class ${group.map((state) => getId(state.name)).join(', ')} ${kind}`,
  ]);
}

/** Light fills with dark text, readable on light and dark pages. */
const mermaidStateStyles: Readonly<Record<ChartState['kind'], string>> = {
  waiting: 'fill:#ddf4ff,stroke:#0969da,color:#1f2328',
  passing: 'fill:#f6f8fa,stroke:#818b98,color:#1f2328,stroke-dasharray:4 3',
  terminal: 'fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-width:2px',
};
