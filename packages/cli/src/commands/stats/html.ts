import { renderElement, escapeHtmlText } from './html-text.ts';
import { formatDateTime } from '../../output/format-time.ts';
import {
  renderAccuracyPlot,
  renderGroupPlot,
  renderLoopPlot,
  renderDailyPlots,
  renderTimePlots,
  renderToolPlot,
  renderTransitionPlot,
} from './html-sections.ts';
import { statsHtmlStyle } from './html-style.ts';
import type { AggregateStats } from './aggregate.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';

/** The first line of a generated report, which marks it as safe to replace. */
export const statsHtmlMarker = '<!doctype html><!-- pawl stats -->';

/**
 * Renders the statistics as one self-contained page, without scripts or network access, enforced by a content security
 * policy. Session texts are escaped.
 */
export function renderStatsHtml(
  stats: AggregateStats,
  source: { readonly at: number; readonly where: string },
): string {
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<title>Session statistics</title>',
    `<style>${statsHtmlStyle}</style>`,
  ];
  const intro = `${formatCount(stats.sessions.counted, 'session')} of ${source.where}, ${formatDateTime(source.at)}`;
  const body = [
    '<h1>Session statistics</h1>',
    renderElement('p', { class: 'about' }, escapeHtmlText(intro)),
    renderKeyFigures(stats),
    ...renderStatsSections(stats),
  ];
  return `${statsHtmlMarker}\n<html lang="en">\n<head>${head.join('\n')}</head>\n<body><main>${body.join('\n')}</main></body>\n</html>\n`;
}

function renderStatsSections(stats: AggregateStats): readonly string[] {
  return [
    renderHtmlSection('Over time', renderDailyPlots(stats)),
    renderHtmlSection('Time by state', renderTimePlots(stats)),
    renderHtmlSection('Mode transitions', renderTransitionPlot(stats)),
    renderHtmlSection('Loops and their cost, from the first repetition on', renderLoopPlot(stats)),
    renderHtmlSection('Verdict accuracy', renderAccuracyPlot(stats)),
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
    [formatGroupedNumber(ended.get('answered') ?? 0), 'sessions answered'],
    [formatGroupedNumber(ended.get('stuck') ?? 0), 'sessions stuck'],
    [formatShare(efficiency.share), `of ${formatCount(efficiency.steps, 'step')} were effective`],
    [formatGroupedNumber(saved.stoppedTurns), 'turns stopped by the governor'],
    [formatGroupedNumber(saved.refusedCalls), 'blocked calls'],
    [perStep === null ? '-' : formatGroupedNumber(perStep), 'tokens per step in a loop'],
  ];
  const cells = all.map(([value, name]) =>
    renderElement(
      'div',
      {},
      renderElement('dd', {}, escapeHtmlText(value)) + renderElement('dt', {}, escapeHtmlText(name)),
    ),
  );
  const note =
    'The tokens saved by a stop cannot be measured; the report shows only the number of stops and the tokens per step in a loop.';
  return (
    renderElement('dl', { class: 'figures' }, cells.join('')) +
    renderElement('p', { class: 'note' }, escapeHtmlText(note))
  );
}
