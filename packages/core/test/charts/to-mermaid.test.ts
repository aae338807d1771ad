import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMermaid } from '../../src/charts/to-mermaid.ts';
import { turnChart } from '../../src/turn/states/turn-chart.ts';
import { anyChart, hostileChart, hostileNames, createTestMove, createTestState } from './sample-charts.ts';

function splitMermaidLines(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
}

/** The label of the one arrow from a state to another. */
function getArrowLabel(text: string, from: string, to: string): string | undefined {
  const match = splitMermaidLines(text).filter(
    (line) => line.startsWith(`${from} --> ${to} `) || line === `${from} --> ${to}`,
  );
  expect(match).toHaveLength(1);
  return match[0]?.split(' : ')[1];
}

/*
 * The few shapes of line an export may consist of; everything that Mermaid could take for something else is written as a
 * numbered entity. Mermaid itself needs a browser and is not part of the tests.
 */
const mermaidTextPattern = String.raw`(?:#\d+;|[\p{L}\p{N}\p{M}\p{S}\p{Co}\p{Cn}\p{Cf} ,.\[\]_-]|[^\p{ASCII}])`;
const mermaidLineShapes = [
  /^stateDiagram-v2$/u,
  /^[a-zA-Z][a-zA-Z0-9]*$/u,
  new RegExp(`^state "${mermaidTextPattern}+" as s\\d+$`, 'u'),
  new RegExp(
    `^(?:\\[\\*\\]|\\w+) --> (?:\\[\\*\\]|\\w+)(?: : ${mermaidTextPattern}+(?:<br/>${mermaidTextPattern}+)*)?$`,
    'u',
  ),
  /^classDef (?:waiting|passing|terminal) [a-z0-9:#,\- ]+$/u,
  /^class \w+(?:, \w+)* (?:waiting|passing|terminal)$/u,
];

function expectKnownShapes(diagram: string): void {
  for (const line of splitMermaidLines(diagram)) {
    expect(mermaidLineShapes.filter((shape) => shape.test(line)).length, line).toBeGreaterThan(0);
    expect(line).not.toMatch(/direction (?:TB|BT|RL|LR)/iu);
  }
}

describe('the Mermaid diagram of a chart', () => {
  const diagram = toMermaid(turnChart);

  it('is a state diagram that starts in the initial state [LOOM-81]', () => {
    expect(splitMermaidLines(diagram)[0]).toBe('stateDiagram-v2');
    expect(diagram).toContain('[*] --> waitingForUser\n');
  });

  it('has deltas loop on the state that waits for the model [LOOM-82]', () => {
    expect(getArrowLabel(diagram, 'callingModel', 'callingModel')).toMatch(
      /^text-delta<br\/>call-delta<br\/>/u,
    );
  });

  it('leads from a model failure back to the model call when the retry is due [LOOM-83]', () => {
    expect(getArrowLabel(diagram, 'errorRecovery', 'callingModel')).toContain('retry-due [model failed]');
  });

  it('leads to shuttingDown from every state that is not transient [LOOM-84]', () => {
    for (const { name, kind } of turnChart.states.filter((each) => each.kind !== 'passing')) {
      expect(getArrowLabel(diagram, name, 'shuttingDown'), `${name}, ${kind}`).toBe('shutdown-requested');
    }
  });

  it('ends after shuttingDown [LOOM-85]', () => {
    expect(diagram).toContain('shuttingDown --> [*]\n');
  });

  it('has one arrow for each pair of connected states', () => {
    const pairs = new Set(
      turnChart.states.flatMap(({ name, transitions }) => transitions.map(({ to }) => `${name} --> ${to}`)),
    );
    const arrows = splitMermaidLines(diagram)
      .map((line) => line.split(' : ')[0] ?? '')
      .filter((line) => /^\w+ --> \w+$/u.test(line));
    expect(arrows.toSorted()).toEqual([...pairs].toSorted());
  });

  it('writes guards in square brackets, and "otherwise" for the remaining case', () => {
    expect(getArrowLabel(diagram, 'progressCheck', 'callingModel')).toBe(
      '[steering is pending]<br/>[finish is requested]<br/>[otherwise]',
    );
  });

  it('styles each kind of state differently', () => {
    expect(diagram).toContain('class processingResponse, progressCheck, phaseTransition passing\n');
    expect(diagram).toContain('class halted, shuttingDown terminal\n');
  });

  it('gives a name that is not a plain word a numbered id, and shows it in quotes', () => {
    const chart = {
      name: 'x',
      initial: 'a b',
      states: [
        createTestState('a b', 'waiting', createTestMove('go', 's1')),
        createTestState('s1', 'waiting'),
      ],
    };
    expect(splitMermaidLines(toMermaid(chart)).slice(1, 5)).toEqual([
      'state "a b" as s2',
      's1',
      '[*] --> s2',
      's2 --> s1 : go',
    ]);
  });

  it('escapes characters with a special meaning in Mermaid as entities', () => {
    const lines = splitMermaidLines(toMermaid(hostileChart));
    expect(lines).toContain('state "a #45;#45;#62; b" as s3');
    expect(lines).toContain('state "#60;#47;svg#62;#60;script#62;alert#40;1#41;#60;#47;script#62;" as s4');
    expect(lines).toContain('state "#100;irection LR" as s23');
    expectKnownShapes(toMermaid(hostileChart));
    const declared = lines.filter((line) => /^(?:state "|\w+$)/u.test(line));
    expect(declared).toHaveLength(hostileNames.length);
  });

  it('writes no label for an event with a blank name', () => {
    const chart = {
      name: 'x',
      initial: 'a',
      states: [createTestState('a', 'waiting', createTestMove('go', 'a'), createTestMove(' ', 'a'))],
    };
    expect(splitMermaidLines(toMermaid(chart))).toContain('a --> a : go');
  });

  it('consists of valid lines, for any chart', () => {
    fc.assert(fc.property(anyChart, (chart) => expectKnownShapes(toMermaid(chart))));
  });
});
