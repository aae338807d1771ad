/** The sixteen terminal colors, for a dark background. */
const ansiColors = [
  '#484f58',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
  '#6e7681',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#f0f6fc',
] as const;

type AnsiStyle = {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly inverse: boolean;
  readonly color: string | null;
  readonly background: string | null;
};

const plainAnsiStyle: AnsiStyle = { bold: false, dim: false, inverse: false, color: null, background: null };

/** Converts a terminal screen, as captured by tmux with its colors, to HTML. */
export function ansiToHtml(screen: string): string {
  const [first = '', ...rest] = screen.split('\u001B[');
  let style = plainAnsiStyle;
  let html = renderAnsiSpan(first, style);
  for (const piece of rest) {
    const [, codes = '', text = ''] = /^([\d;]*)m([^]*)$/.exec(piece) ?? [];
    style = applyAnsiCodes(style, codes.split(';').map(Number));
    html += renderAnsiSpan(text, style);
  }
  return html;
}

function applyAnsiCodes(before: AnsiStyle, codes: readonly number[]): AnsiStyle {
  let style = before;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const color = isIndexed
        ? getIndexedColor(codes[index + 2] ?? 0)
        : `rgb(${codes.slice(index + 2, index + 5).join(' ')})`;
      style = { ...style, [code === 38 ? 'colour' : 'ground']: color };
      index += isIndexed ? 2 : 4;
    } else style = applyAnsiCode(style, code);
  }
  return style;
}

/** Style changes of the codes that set no color. */
const styleChanges: Readonly<Record<number, Partial<AnsiStyle>>> = {
  0: plainAnsiStyle,
  1: { bold: true },
  2: { dim: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  27: { inverse: false },
  39: { color: null },
  49: { background: null },
};

/** Codes 30-37 and 90-97 set the foreground, 40-47 and 100-107 the background; 90 and above are the bright colors. */
function applyAnsiCode(style: AnsiStyle, code: number): AnsiStyle {
  const change = styleChanges[code];
  if (change !== undefined) return { ...style, ...change };
  const tens = Math.floor(code / 10);
  const color = getIndexedColor((code % 10) + (tens >= 9 ? 8 : 0));
  if (tens === 3 || tens === 9) return { ...style, color };
  return tens === 4 || tens === 10 ? { ...style, background: color } : style;
}

/** Returns one of the 256 indexed colors. */
function getIndexedColor(number: number): string {
  const named = ansiColors[number];
  if (named !== undefined) return named;
  if (number >= 232) return `rgb(${Array.from({ length: 3 }, () => 8 + 10 * (number - 232)).join(' ')})`;
  const part = (by: number): number => {
    const step = Math.floor((number - 16) / by) % 6;
    return step === 0 ? 0 : 55 + 40 * step;
  };
  return `rgb(${part(36)} ${part(6)} ${part(1)})`;
}

function renderAnsiSpan(text: string, { bold, dim, inverse, color, background }: AnsiStyle): string {
  if (text === '') return '';
  const [foreground, back] = inverse ? [background ?? '#0d1117', color ?? '#e6edf3'] : [color, background];
  const rules = [
    foreground === null ? '' : `color:${foreground}`,
    back === null ? '' : `background:${back}`,
    bold ? 'font-weight:700' : '',
    dim ? 'opacity:.6' : '',
  ].filter((rule) => rule !== '');
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return rules.length === 0 ? safe : `<span style="${rules.join(';')}">${safe}</span>`;
}
