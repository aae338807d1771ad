import { element, escaped } from './html-text.ts';
import { dateTime } from './show-time.ts';
import {
  accuracyPlot,
  groupPlot,
  loopPlot,
  overTime,
  timePlots,
  toolPlot,
  transitionPlot,
} from './stats-html-sections.ts';
import { htmlStyle } from './stats-html-style.ts';
import type { Stats } from './stats-sum.ts';
import { counted, grouped, percent } from './number-text.ts';

/** What a report of ours begins with: one that is there already may be replaced. */
export const htmlMark = '<!doctype html><!-- pawl stats -->';

/**
 * The numbers as one page that needs nothing else: no script and no network, which it also tells the browser. What sessions
 * are about stands in it as text.
 */
export function statsHtml(stats: Stats, about: { readonly at: number; readonly where: string }): string {
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Sessions in numbers</title>',
    `<style>${htmlStyle}</style>`,
  ];
  const intro = `${counted(stats.sessions.counted, 'session')} of ${about.where}, ${dateTime(about.at)}`;
  const body = [
    '<h1>Sessions in numbers</h1>',
    element('p', { class: 'about' }, escaped(intro)),
    figures(stats),
    ...sectionsOf(stats),
  ];
  return `${htmlMark}\n<html lang="en">\n<head>${head.join('\n')}</head>\n<body><main>${body.join('\n')}</main></body>\n</html>\n`;
}

function sectionsOf(stats: Stats): readonly string[] {
  return [
    section('Over time', overTime(stats)),
    section('Where the time went', timePlots(stats)),
    section('Moves between modes', transitionPlot(stats)),
    section('Loops, and what they cost from the second time on', loopPlot(stats)),
    section('Verdicts, as people marked them', accuracyPlot(stats)),
    section('By profile', groupPlot('Sessions by profile', stats.byProfile)),
    section('By model', groupPlot('Sessions by model', stats.byModel)),
    section('By tool', toolPlot(stats)),
  ];
}

/** What there is nothing of has no place. */
function section(title: string, parts: readonly string[]): string {
  return parts.length === 0
    ? ''
    : element('section', {}, element('h2', {}, escaped(title)) + parts.join('\n'));
}

function figures({ sessions, efficiency, saved }: Stats): string {
  const ended = new Map(sessions.byEnding.map(({ name, count }) => [name, count]));
  const perStep = saved.tokensPerLoopStep;
  const all: readonly (readonly [string, string])[] = [
    [grouped(ended.get('answered') ?? 0), 'sessions with an answer'],
    [grouped(ended.get('stuck') ?? 0), 'stopped for going in circles'],
    [percent(efficiency.share), `of ${counted(efficiency.steps, 'step')} brought something new`],
    [grouped(saved.stoppedTurns), 'turns stopped by the governor'],
    [grouped(saved.refusedCalls), 'refused calls not run again'],
    [perStep === null ? '-' : grouped(perStep), 'tokens that a step in a loop took'],
  ];
  const cells = all.map(([value, name]) =>
    element('div', {}, element('dd', {}, escaped(value)) + element('dt', {}, escaped(name))),
  );
  const note =
    'What would have come after a stop, nobody knows: so no sum of tokens saved is given, only how often work was stopped and what a step of a loop took.';
  return element('dl', { class: 'figures' }, cells.join('')) + element('p', { class: 'note' }, escaped(note));
}
