import { renderElement, escapeHtmlText } from './html-text.ts';
import { formatDateTime } from './format-time.ts';
import {
  renderAccuracyPlot,
  renderGroupPlot,
  renderLoopPlot,
  renderDailyPlots,
  renderTimePlots,
  renderToolPlot,
  renderTransitionPlot,
} from './stats-html-sections.ts';
import { statsHtmlStyle } from './stats-html-style.ts';
import type { AggregateStats } from './stats-aggregate.ts';
import { formatCount, formatGroupedNumber, formatShare } from './format-number.ts';

/** The first line of a generated report, which marks it as safe to replace. */
export const statsHtmlMarker = '<!doctype html><!-- pawl stats -->';

/**
 * Renders the statistics as one self-contained page, without scripts or network access, enforced by a content security
 * policy. Session texts are escaped.
 */
export function renderStatsHtml(
  stats: AggregateStats,
  about: { readonly at: number; readonly where: string },
): string {
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Sessions in numbers</title>',
    `<style>${statsHtmlStyle}</style>`,
  ];
  const intro = `${formatCount(stats.sessions.counted, 'session')} of ${about.where}, ${formatDateTime(about.at)}`;
  const body = [
    '<h1>Sessions in numbers</h1>',
    renderElement('p', { class: 'about' }, escapeHtmlText(intro)),
    renderKeyFigures(stats),
    ...renderStatsSections(stats),
  ];
  return `${statsHtmlMarker}\n<html lang="en">\n<head>${head.join('\n')}</head>\n<body><main>${body.join('\n')}</main></body>\n</html>\n`;
}

function renderStatsSections(stats: AggregateStats): readonly string[] {
  return [
    renderHtmlSection('Over time', renderDailyPlots(stats)),
    renderHtmlSection('Where the time went', renderTimePlots(stats)),
    renderHtmlSection('Moves between modes', renderTransitionPlot(stats)),
    renderHtmlSection('Loops, and what they cost from the second time on', renderLoopPlot(stats)),
    renderHtmlSection('Verdicts, as people marked them', renderAccuracyPlot(stats)),
    renderHtmlSection('By profile', renderGroupPlot('Sessions by profile', stats.byProfile)),
    renderHtmlSection('By model', renderGroupPlot('Sessions by model', stats.byModel)),
    renderHtmlSection('By tool', renderToolPlot(stats)),
  ];
}

/** Omits empty sections. */
function renderHtmlSection(title: string, parts: readonly string[]): string {
  return parts.length === 0
    ? ''
    : renderElement('section', {}, renderElement('h2', {}, escapeHtmlText(title)) + parts.join('\n'));
}

function renderKeyFigures({ sessions, efficiency, saved }: AggregateStats): string {
  const ended = new Map(sessions.byEnding.map(({ name, count }) => [name, count]));
  const perStep = saved.tokensPerLoopStep;
  const all: readonly (readonly [string, string])[] = [
    [formatGroupedNumber(ended.get('answered') ?? 0), 'sessions with an answer'],
    [formatGroupedNumber(ended.get('stuck') ?? 0), 'stopped for going in circles'],
    [formatShare(efficiency.share), `of ${formatCount(efficiency.steps, 'step')} brought something new`],
    [formatGroupedNumber(saved.stoppedTurns), 'turns stopped by the governor'],
    [formatGroupedNumber(saved.refusedCalls), 'refused calls not run again'],
    [perStep === null ? '-' : formatGroupedNumber(perStep), 'tokens that a step in a loop took'],
  ];
  const cells = all.map(([value, name]) =>
    renderElement(
      'div',
      {},
      renderElement('dd', {}, escapeHtmlText(value)) + renderElement('dt', {}, escapeHtmlText(name)),
    ),
  );
  const note =
    'What would have come after a stop, nobody knows: so no sum of tokens saved is given, only how often work was stopped and what a step of a loop took.';
  return (
    renderElement('dl', { class: 'figures' }, cells.join('')) +
    renderElement('p', { class: 'note' }, escapeHtmlText(note))
  );
}
