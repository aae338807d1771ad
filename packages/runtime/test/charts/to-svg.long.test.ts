import * as fc from 'fast-check';
import { buildChartEdges, listChartStates, type Chart, toDrawableChart, turnChart } from '@pawl/core/charts';
import { modeCharts, type ModeChart } from '@pawl/core/modes';
import { describe, expect, it } from 'vitest';
import { anyModeChart } from '../../../core/test/modes/sample-charts.ts';
import { computeChartLayout, type LayoutBox } from '../../src/charts/svg-layout.ts';
import { toSvg } from '../../src/charts/to-svg.ts';
import {
  anyChart,
  hostileChart,
  hostileNames,
  createTestMove,
  createTestState,
} from '../../../core/test/charts/sample-charts.ts';
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
  const turnSvg = toSvg(turnChart);

  it('is one XML document with a viewBox, a title and a description', async () => {
    const svg = await turnSvg;
    expect(findXmlError(svg)).toBeNull();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*viewBox="0 0 \d+ \d+"/u);
    expect(listElementTexts(svg, 'title')[0]).toBe('State chart: turn');
    expect(listElementTexts(svg, 'desc')).toEqual([
      '13 states, beginning with waitingForUser. It ends in halted, shuttingDown.',
    ]);
  });

  it('is deterministic', async () => {
    expect(await toSvg(structuredClone(turnChart))).toBe(await turnSvg);
  });

  it('shows every state, and every move as a tooltip', async () => {
    const svg = await turnSvg;
    const names = turnChart.states.map((each) => each.name);
    expect(listElementTexts(svg, 'text')).toEqual(expect.arrayContaining(names));
    for (const { name, transitions } of turnChart.states) {
      for (const { to, on, guard } of transitions) {
        const title = listElementTexts(svg, 'title').find((text) => text.startsWith(`${name} → ${to}\n`));
        expect(title).toContain(on ?? guard ?? '[otherwise]');
      }
    }
  });

  it('has one line for each pair of connected states', async () => {
    const pairs = new Set(
      turnChart.states.flatMap(({ name, transitions }) => transitions.map((each) => `${name} → ${each.to}`)),
    );
    const titles = listElementTexts(await turnSvg, 'title').filter((text) => text.includes(' → '));
    expect(titles.map((title) => title.split('\n', 1).join()).toSorted()).toEqual([...pairs].toSorted());
  });

  it('draws edges shared by nearly every state faintly, and lists them in the legend', async () => {
    const svg = await turnSvg;
    const faint = svg.split('\n').filter((line) => line.startsWith('<path class="line faint"'));
    expect(faint.filter((line) => line.includes('→ shuttingDown')).length).toBeGreaterThan(8);
    expect(faint.some((line) => line.includes('waitingForUser → callingModel'))).toBe(false);
    const words = listElementTexts(svg, 'text').join(' ');
    expect(words).toContain('shutdown-requested → shuttingDown');
    expect(words).toContain('To nearly every state: resume-requested, from paused');
  });

  it('draws the main path in bold', async () => {
    const bold = (await turnSvg).split('\n').filter((line) => line.startsWith('<path class="line main"'));
    expect(bold.some((line) => line.includes('waitingForUser → callingModel'))).toBe(true);
    expect(bold.some((line) => line.includes('callingModel → processingResponse'))).toBe(true);
  });

  it('puts the initial state at the top and a terminal state at the bottom', async () => {
    const svg = await toSvg(smallChart);
    expect(getBoxCorner(svg, 'idle').y).toBeLessThan(getBoxCorner(svg, 'busy').y);
    expect(getBoxCorner(svg, 'busy').y).toBeLessThan(getBoxCorner(svg, 'over').y);
  });

  it('labels every line of a small chart with its event, and with its guard if that is short', async () => {
    const texts = listElementTexts(await toSvg(smallChart), 'tspan');
    expect(texts.toSorted()).toEqual(['end [all is done]', 'start', 'stop']);
  });

  it('has separate colors for dark pages', async () => {
    expect(await toSvg(smallChart)).toContain('@media (prefers-color-scheme:dark)');
  });

  it('is rendered for a chart with one state, and with none', async () => {
    expect(
      findXmlError(
        await toSvg({ name: 'one', initial: 'only', states: [createTestState('only', 'waiting')] }),
      ),
    ).toBeNull();
    expect(findXmlError(await toSvg({ name: 'none', initial: 'nowhere', states: [] }))).toBeNull();
  });

  it('shows an undeclared target', async () => {
    const svg = await toSvg({
      name: 'x',
      initial: 'a',
      states: [createTestState('a', 'waiting', createTestMove('go', 'elsewhere'))],
    });
    expect(listElementTexts(svg, 'text')).toContain('elsewhere');
    expect(listElementTexts(svg, 'title')).toContain('elsewhere\nNot declared.');
  });

  it('escapes markup in names', async () => {
    const svg = await toSvg(hostileChart);
    expect(findXmlError(svg)).toBeNull();
    expect(svg).not.toContain('<script');
    const shown = listElementTexts(svg, 'title').join('\n');
    for (const name of hostileNames.filter((each) => /^[\w <>/"'&:;#.-]+$/u.test(each)))
      expect(shown).toContain(name);
  });

  it.each(Object.values<ModeChart>(modeCharts))('shows every state of $name', async (modes) => {
    const svg = await toSvg(toDrawableChart(modes));
    expect(findXmlError(svg)).toBeNull();
    for (const { name } of modes.states) expect(listElementTexts(svg, 'text').join(' ')).toContain(name);
  });

  it('is well-formed for any mode chart', async () => {
    await fc.assert(
      fc.asyncProperty(anyModeChart, async (modes) => {
        expect(findXmlError(await toSvg(toDrawableChart(modes)))).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  const severalStates = Object.values<ModeChart>(modeCharts).filter(({ states }) => states.length > 1);

  it.each([turnChart, ...severalStates.map(toDrawableChart)])(
    'has no label of $name on a state or on another label',
    async (chart) => {
      const { nodes, labels } = await computeChartLayout(chart);
      expect(labels.length).toBeGreaterThan(0);
      expect(findOverlap([...nodes, ...labels].map(({ box }) => box))).toBeNull();
    },
  );

  it('is well-formed, draws every edge and places no state on another, for any chart', async () => {
    await fc.assert(
      fc.asyncProperty(anyChart, async (chart) => {
        const svg = await toSvg(chart);
        expect(findXmlError(svg)).toBeNull();
        const paths = ['main', 'plain', 'faint'].flatMap((tier) => listLinePaths(svg, tier));
        for (const path of paths) expect(path).toMatch(pathPattern);
        expect(svg).not.toMatch(/"(?:NaN|Infinity|undefined)"/u);
        const { nodes, lines, width, height } = await computeChartLayout(chart);
        expect(lines).toHaveLength(buildChartEdges(listChartStates(chart)).length);
        expect(paths).toHaveLength(lines.length);
        expect(findOverlap(nodes.map(({ box }) => box))).toBeNull();
        for (const { box } of nodes) {
          expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
          expect(box.x + box.width).toBeLessThanOrEqual(width);
          expect(box.y + box.height).toBeLessThanOrEqual(height);
        }
      }),
    );
  });

  it('draws each line from its source to its target, also upwards', async () => {
    const { nodes, lines } = await computeChartLayout(smallChart);
    const getBox = (name: string) => nodes.find(({ state }) => state.name === name)?.box;
    const upward = lines.find(({ edge }) => edge.from === 'busy' && edge.to === 'idle');
    const [busy, idle] = [getBox('busy'), getBox('idle')];
    expect(upward?.points[0]?.y).toBe(busy?.y);
    expect(upward?.points.at(-1)?.y).toBe((idle?.y ?? 0) + (idle?.height ?? 0));
  });
});

const pathPattern = /^M-?[\d.]+,-?[\d.]+(?:(?:C(?:-?[\d.]+,-?[\d.]+ ?){3})+|(?:L-?[\d.]+,-?[\d.]+)+)$/u;

/** The first two boxes that overlap. */
function findOverlap(boxes: readonly LayoutBox[]): readonly LayoutBox[] | null {
  for (const [index, one] of boxes.entries()) {
    const other = boxes
      .slice(index + 1)
      .find(
        (each) =>
          one.x < each.x + each.width &&
          each.x < one.x + one.width &&
          one.y < each.y + each.height &&
          each.y < one.y + one.height,
      );
    if (other !== undefined) return [one, other];
  }
  return null;
}
