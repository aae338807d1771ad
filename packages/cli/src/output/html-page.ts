import {
  escapeHtmlText,
  renderBarPlot,
  renderElement,
  type PlotBar,
  type PlotCaption,
} from './html-plots.ts';

export type HtmlPage = {
  /** The first line of the file, which marks it as safe to replace. */
  readonly marker: string;
  readonly title: string;
  readonly intro: string;
  /** The content, which must already be HTML. */
  readonly parts: readonly string[];
};

/**
 * Renders a report as one self-contained page, without scripts or network access, enforced by a content security policy.
 * Texts from sessions and traces must be escaped.
 */
export function renderHtmlPage({ marker, title, intro, parts }: HtmlPage): string {
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    renderElement('title', {}, escapeHtmlText(title)),
    `<style>${htmlStyle}</style>`,
  ];
  const body = [
    renderElement('h1', {}, escapeHtmlText(title)),
    renderElement('p', { class: 'about' }, escapeHtmlText(intro)),
    ...parts,
  ];
  return `${marker}\n<html lang="en">\n<head>${head.join('\n')}</head>\n<body><main>${body.join('\n')}</main></body>\n</html>\n`;
}

/**
 * Follows the reader's light or dark preference. Every color contrasts with its background, and no two differ by hue
 * alone.
 */
const htmlStyle = `
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
.run { border-top: 1px solid var(--edge); padding: 8px 0; overflow-wrap: anywhere; }
.run summary { color: var(--ink); font-size: 14px; }
.run p { margin: 6px 0; }
.proof td { min-width: 60px; font-family: ui-monospace, monospace; font-size: 12px; }
`;

/** Omits empty sections. */
export function renderHtmlSection(title: string, parts: readonly string[]): string {
  return parts.length === 0
    ? ''
    : renderElement('section', {}, renderElement('h2', {}, escapeHtmlText(title)) + parts.join('\n'));
}

/** Renders the most important figures of a report, each with its name. */
export function renderFigures(figures: readonly (readonly [string, string])[]): string {
  const cells = figures.map(([value, name]) =>
    renderElement(
      'div',
      {},
      renderElement('dd', {}, escapeHtmlText(value)) + renderElement('dt', {}, escapeHtmlText(name)),
    ),
  );
  return renderElement('dl', { class: 'figures' }, cells.join(''));
}

export function renderHtmlNote(text: string): string {
  return renderElement('p', { class: 'note' }, escapeHtmlText(text));
}

const maxHtmlRows = 30;

export function renderBars(caption: PlotCaption, bars: readonly PlotBar[]): readonly string[] {
  if (bars.length === 0) return [];
  const rest = bars.length - maxHtmlRows;
  const more = rest > 0 ? [renderHtmlNote(`${rest} more; use --json for all.`)] : [];
  return [renderBarPlot(caption, bars.slice(0, maxHtmlRows)), ...more];
}

export function renderHtmlTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const body = rows.slice(0, maxHtmlRows).map((row) => renderHtmlRow(row, 'td'));
  const inside =
    renderElement('thead', {}, renderHtmlRow(head, 'th')) + renderElement('tbody', {}, body.join(''));
  const summary = renderElement('summary', {}, escapeHtmlText(title));
  return [
    renderElement(
      'details',
      {},
      summary + renderElement('div', { class: 'wide' }, renderElement('table', {}, inside)),
    ),
  ];
}

function renderHtmlRow(row: readonly string[], name: 'td' | 'th'): string {
  return renderElement('tr', {}, row.map((text) => renderElement(name, {}, escapeHtmlText(text))).join(''));
}
