import { renderElement, escapeHtmlText } from './html-plots.ts';
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

/**
 * Follows the reader's light or dark preference. Every color contrasts with its background, and no two differ by hue
 * alone.
 */
const statsHtmlStyle = `
:root { --ground: #fcfcfb; --card: #ffffff; --ink: #1d2129; --faint: #565d6a; --edge: #dcdfe4;
  --good: #1b7f79; --bad: #c2410c; --plain: #3b64b5; --rest: #a9b0bc; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171c; --card: #1b1f26; --ink: #e6e9ee; --faint: #a2aab7; --edge: #333a45;
    --good: #45b8b0; --bad: #f08a4b; --plain: #7ea2ea; --rest: #667080; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 820px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 24px; margin: 0; }
h2 { font-size: 17px; margin: 0 0 12px; }
.about, .note { color: var(--faint); margin: 4px 0 16px; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 16px; margin: 16px 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 16px 0 8px; }
.figures div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 12px; }
dd { margin: 0; font-size: 24px; font-variant-numeric: tabular-nums; }
dt { color: var(--faint); font-size: 13px; }
figure { margin: 0 0 20px; }
figcaption { font-size: 13px; color: var(--faint); margin-bottom: 6px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
.part { stroke: var(--card); stroke-width: 1; }
.good { fill: var(--good); } .bad { fill: var(--bad); } .plain { fill: var(--plain); } .rest { fill: var(--rest); }
.legend { margin-left: 12px; } .key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 4px 0 8px; }
.key-good { background: var(--good); } .key-bad { background: var(--bad); } .key-plain { background: var(--plain); } .key-rest { background: var(--rest); }
figcaption b { color: var(--ink); font-weight: 600; }
.axis { stroke: var(--edge); } .line { fill: none; stroke: var(--plain); stroke-width: 2; } .dot { fill: var(--plain); }
summary { cursor: pointer; color: var(--faint); font-size: 13px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; margin-top: 8px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--edge); vertical-align: top; overflow-wrap: anywhere; }
`;
