import { blank, fitted, rowsOf, seg, type Line, type Style } from '../line.ts';
import { isSettled, type Item, type Story } from '../story.ts';
import { toolCard } from './tool-card.ts';

export type Reading = {
  readonly columns: number;
  readonly now: number;
  /** How many rows of what a tool said its card shows. */
  readonly cardRows: number;
};

/** The last rows of the story, the oldest first: as many as there is room for. */
export function storyEnd(story: Story, rows: number, reading: Reading): readonly Line[] {
  const parts: (readonly Line[])[] = [];
  let count = 0;
  for (let index = story.items.length - 1; index >= 0 && count < rows; index -= 1) {
    const item = story.items[index];
    if (item === undefined) break;
    const lines = itemLines(item, reading);
    parts.push(lines);
    count += lines.length;
  }
  return parts.toReversed().flat().slice(-rows);
}

/** All of it that there still is. */
export function storyLines({ items, gone }: Story, reading: Reading): readonly Line[] {
  const earlier: readonly Line[] =
    gone === 0 ? [] : [[seg(`   … ${gone} earlier entries are not shown here; the log has them.`, 'dim')]];
  return [...earlier, ...items.flatMap((item) => itemLines(item, reading))];
}

/** What an item was made into, for as long as there is the item; a settled one looks the same every time. */
const made = new WeakMap<Item, { readonly key: string; readonly lines: readonly Line[] }>();

function itemLines(item: Item, reading: Reading): readonly Line[] {
  if (!isSettled(item)) return lay(item, reading);
  const key = `${reading.columns}/${reading.cardRows}`;
  const before = made.get(item);
  if (before?.key === key) return before.lines;
  const lines = lay(item, reading);
  made.set(item, { key, lines });
  return lines;
}

/** A reply that still comes in is looked at from its end; more of it than this is on no screen. */
const speechMax = 12_000;

function lay(item: Item, { columns, now, cardRows }: Reading): readonly Line[] {
  switch (item.kind) {
    case 'user':
      return [blank, ...marked(item.text, columns, { mark: ' › ', markStyle: 'accent', style: 'strong' })];
    case 'model': {
      const text = item.isOver ? item.text.trimEnd() : item.text.slice(-speechMax).toWellFormed();
      return [blank, ...marked(text, columns, { mark: '   ', markStyle: 'plain', style: 'plain' })];
    }
    case 'card':
      return toolCard(item, { columns, now, rows: cardRows });
    case 'remark':
      return marked(item.text, columns, remarks[item.grade]);
    default:
      return item satisfies never;
  }
}

type Mark = { readonly mark: string; readonly markStyle: Style; readonly style: Style };

const remarks: { readonly [Grade in Extract<Item, { kind: 'remark' }>['grade']]: Mark } = {
  quiet: { mark: '   ', markStyle: 'dim', style: 'dim' },
  warn: { mark: ' ! ', markStyle: 'warn', style: 'warn' },
  bad: { mark: ' ✗ ', markStyle: 'bad', style: 'bad' },
};

function marked(text: string, columns: number, { mark, markStyle, style }: Mark): readonly Line[] {
  const rows = rowsOf(text, Math.max(1, columns - mark.length - 1));
  return rows.map((row, index) =>
    fitted([index === 0 ? seg(mark, markStyle) : seg(' '.repeat(mark.length)), seg(row, style)], columns),
  );
}
