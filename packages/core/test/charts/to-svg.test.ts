import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chart } from '../../src/charts/chart.ts';
import { toSvg } from '../../src/charts/to-svg.ts';
import { turnChart } from '../../src/turn/chart.ts';
import { anyChart, hostileChart, hostileNames, createTestMove, createTestState } from './sample-charts.ts';
import { listElementTexts, findXmlError } from './well-formed.ts';

const smallChart: Chart = {
  name: 'small',
  initial: 'idle',
  states: [
    createTestState('idle', 'waiting', createTestMove('start', 'busy')),
    createTestState(
      'busy',
      'waiting',
      createTestMove('tick', 'busy'),
      createTestMove('stop', 'idle'),
      createTestMove('end', 'over', 'all is done'),
    ),
    createTestState('over', 'terminal'),
  ],
};

/** The paths of the lines of this tier. */
function listLinePaths(svg: string, tier: string): readonly string[] {
  return [...svg.matchAll(new RegExp(`<path class="line ${tier}"[^>]* d="([^"]*)">`, 'gu'))].map(
    ([, path = '']) => path,
  );
}

/** The top left corner of the box with this name in it. */
function getBoxCorner(svg: string, name: string): { readonly x: number; readonly y: number } {
  const match = new RegExp(
    `<rect class="[a-z]+" x="([\\d.]+)" y="([\\d.]+)"[^>]*/><text[^>]*>${name}</text>`,
    'u',
  ).exec(svg);
  return { x: Number(match?.[1]), y: Number(match?.[2]) };
}

describe('the SVG of a chart', () => {
  it('is one XML document with a viewBox, a title and a description', () => {
    const svg = toSvg(turnChart);
    expect(findXmlError(svg)).toBeNull();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*viewBox="0 0 \d+ \d+"/u);
    expect(listElementTexts(svg, 'title')[0]).toBe('State chart: turn');
    expect(listElementTexts(svg, 'desc')).toEqual([
      '13 states, beginning with waitingForUser. It ends in halted, shuttingDown.',
    ]);
  });

  it('is deterministic', () => {
    expect(toSvg(turnChart)).toBe(toSvg(structuredClone(turnChart)));
  });

  it('shows every state, and every move as a tooltip', () => {
    const svg = toSvg(turnChart);
    const names = turnChart.states.map((each) => each.name);
    expect(listElementTexts(svg, 'text')).toEqual(expect.arrayContaining(names));
    for (const { name, transitions } of turnChart.states) {
      for (const { to, on, guard } of transitions) {
        const title = listElementTexts(svg, 'title').find((text) => text.startsWith(`${name} → ${to}\n`));
        expect(title).toContain(on ?? guard ?? '[otherwise]');
      }
    }
  });

  it('has one line for each pair of connected states', () => {
    const pairs = new Set(
      turnChart.states.flatMap(({ name, transitions }) => transitions.map((each) => `${name} → ${each.to}`)),
    );
    const titles = listElementTexts(toSvg(turnChart), 'title').filter((text) => text.includes(' → '));
    expect(titles.map((title) => title.split('\n', 1).join()).toSorted()).toEqual([...pairs].toSorted());
  });

  it('draws edges shared by nearly every state faintly, and lists them in the legend', () => {
    const svg = toSvg(turnChart);
    const faint = svg.split('\n').filter((line) => line.startsWith('<path class="line faint"'));
    expect(faint.filter((line) => line.includes('→ shuttingDown')).length).toBeGreaterThan(8);
    expect(faint.some((line) => line.includes('waitingForUser → callingModel'))).toBe(false);
    const words = listElementTexts(svg, 'text').join(' ');
    expect(words).toContain('shutdown-requested → shuttingDown');
    expect(words).toContain('To nearly every state: resume-requested, from paused');
  });

  it('draws the main path in bold', () => {
    const bold = toSvg(turnChart)
      .split('\n')
      .filter((line) => line.startsWith('<path class="line main"'));
    expect(bold.some((line) => line.includes('waitingForUser → callingModel'))).toBe(true);
    expect(bold.some((line) => line.includes('callingModel → processingResponse'))).toBe(true);
  });

  it('puts the initial state at the top and a terminal state at the bottom', () => {
    const svg = toSvg(smallChart);
    expect(getBoxCorner(svg, 'idle').y).toBeLessThan(getBoxCorner(svg, 'busy').y);
    expect(getBoxCorner(svg, 'busy').y).toBeLessThan(getBoxCorner(svg, 'over').y);
  });

  it('labels every line of a small chart with its event, and with its guard if that is short', () => {
    const texts = listElementTexts(toSvg(smallChart), 'tspan');
    expect(texts.toSorted()).toEqual(['end [all is done]', 'start', 'stop']);
  });

  it('has separate colors for dark pages', () => {
    expect(toSvg(smallChart)).toContain('@media (prefers-color-scheme:dark)');
  });

  it('is rendered for a chart with one state, and with none', () => {
    expect(
      findXmlError(toSvg({ name: 'one', initial: 'only', states: [createTestState('only', 'waiting')] })),
    ).toBeNull();
    expect(findXmlError(toSvg({ name: 'none', initial: 'nowhere', states: [] }))).toBeNull();
  });

  it('shows an undeclared target', () => {
    const svg = toSvg({
      name: 'x',
      initial: 'a',
      states: [createTestState('a', 'waiting', createTestMove('go', 'elsewhere'))],
    });
    expect(listElementTexts(svg, 'text')).toContain('elsewhere');
    expect(listElementTexts(svg, 'title')).toContain('elsewhere\nNot declared.');
  });

  it('escapes markup in names', () => {
    const svg = toSvg(hostileChart);
    expect(findXmlError(svg)).toBeNull();
    expect(svg).not.toContain('<script');
    const shown = listElementTexts(svg, 'title').join('\n');
    for (const name of hostileNames.filter((each) => /^[\w <>/"'&:;#.-]+$/u.test(each)))
      expect(shown).toContain(name);
  });

  it('is well-formed and positions every element, for any chart', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        const svg = toSvg(chart);
        expect(findXmlError(svg)).toBeNull();
        const paths = ['main', 'plain', 'faint'].flatMap((tier) => listLinePaths(svg, tier));
        for (const path of paths)
          expect(path).toMatch(/^M-?[\d.]+,-?[\d.]+(?:C(?:-?[\d.]+,-?[\d.]+ ?){3})+$/u);
        expect(svg).not.toMatch(/"(?:NaN|Infinity|undefined)"/u);
      }),
    );
  });
});
