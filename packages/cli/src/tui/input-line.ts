import {
  createSegment,
  getTextWidth,
  truncateLine,
  wrapLine,
  toPlainLine,
  type StyledLine,
} from './styled-line.ts';
import { listCompletions } from './completion.ts';
import { getOpenQuestion } from './questions.ts';
import { isWaitingForUser, type ScreenModel } from './screen-model.ts';

/** Maximum number of rows of the typed text; a longer text shows the rows around the cursor. */
const maxInputRows = 8;

/** Renders queued messages, the typed text with the cursor, and the completions below it. */
export function renderInputArea(model: ScreenModel, columns: number): readonly StyledLine[] {
  if (model.descriptor.mode === 'watch')
    return [truncateLine([createSegment(' watching; the session runs elsewhere', 'dim')], columns)];
  return [
    ...renderQueued(model, columns),
    ...renderTypedText(model, columns),
    ...renderCompletions(model, columns),
  ];
}

/** Steering that the agent has not received yet. */
function renderQueued({ pendingSteering }: ScreenModel, columns: number): readonly StyledLine[] {
  const [first] = pendingSteering;
  if (first === undefined) return [];
  const more = pendingSteering.length === 1 ? '' : `and ${pendingSteering.length - 1} more `;
  const state = `  ${more}queued`;
  const text = truncateLine([createSegment(` › ${first}`, 'dim')], columns - state.length);
  return [[...text, createSegment(state, 'warn')]];
}

const cursorMark = '▏';

function renderTypedText(model: ScreenModel, columns: number): readonly StyledLine[] {
  const { text, cursor } = model.ui.input;
  const marker = isWaitingForUser(model) ? ' › ' : ' ↳ ';
  if (text === '')
    return [
      truncateLine(
        [
          createSegment(marker, 'accent'),
          createSegment(cursorMark, 'accent'),
          createSegment(getInputPlaceholder(model), 'dim'),
        ],
        columns,
      ),
    ];
  const width = Math.max(1, columns - marker.length - 1);
  const { rows, cursorRow } = wrapTypedText(text, cursor, width);
  const room = Math.max(1, Math.min(maxInputRows, Math.floor(model.size.rows / 3)));
  const first = Math.max(0, Math.min(cursorRow - Math.floor(room / 2), rows.length - room));
  return rows.slice(first, first + room).map((row, index): StyledLine => {
    const [before, after] = row;
    const head = createSegment(first + index === 0 ? marker : '   ', 'accent');
    return after === undefined
      ? [head, createSegment(before)]
      : [head, createSegment(before), createSegment(cursorMark, 'accent'), createSegment(after)];
  });
}

type TypedRow = readonly [before: string, after?: string];

/** Wraps the text by characters, so that the cursor is where the next character appears. */
function wrapTypedText(
  text: string,
  cursor: number,
  width: number,
): { readonly rows: readonly TypedRow[]; readonly cursorRow: number } {
  const rows: TypedRow[] = [];
  let cursorRow = 0;
  let start = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    const hasCursor = cursor >= start && cursor <= end;
    if (hasCursor) {
      const before = wrapLine(toPlainLine(line.slice(0, cursor - start)), width, 'anywhere');
      const last = before.at(-1) ?? '';
      const after = wrapLine(
        toPlainLine(line.slice(cursor - start)),
        Math.max(1, width - getTextWidth(last)),
        'anywhere',
      );
      const [next = ''] = after;
      rows.push(...before.slice(0, -1).map((row): TypedRow => [row]));
      cursorRow = rows.length;
      rows.push([last, next]);
      const rest = after.slice(1).join('');
      if (rest !== '') rows.push(...wrapLine(rest, width, 'anywhere').map((row): TypedRow => [row]));
    } else {
      rows.push(...wrapLine(toPlainLine(line), width, 'anywhere').map((row): TypedRow => [row]));
    }
    start = end + 1;
  }
  return { rows, cursorRow };
}

function getInputPlaceholder(model: ScreenModel): string {
  const pending = model.ui.isAnswering ? getOpenQuestion(model) : null;
  if (pending?.kind === 'permission') return 'enter chooses; type to deny with a reason';
  if (pending?.kind === 'model') return 'your answer';
  return isWaitingForUser(model)
    ? 'your message; / for commands, @ for files'
    : 'message to the agent; it is delivered with the next request';
}

function renderCompletions(model: ScreenModel, columns: number): readonly StyledLine[] {
  const completions = listCompletions(model);
  const selected = Math.min(model.ui.completion.selected, completions.length - 1);
  const room = Math.max(1, Math.min(8, Math.floor(model.size.rows / 3)));
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), completions.length - room));
  const labelWidth = Math.max(0, ...completions.map(({ label }) => getTextWidth(label))) + 2;
  return completions.slice(first, first + room).map(({ label, description }, index) => {
    const isSelected = first + index === selected;
    return truncateLine(
      [
        createSegment(isSelected ? ' ❯ ' : '   ', 'accent'),
        createSegment(label.padEnd(labelWidth), isSelected ? 'strong' : 'plain'),
        createSegment(description, 'dim'),
      ],
      columns,
    );
  });
}
