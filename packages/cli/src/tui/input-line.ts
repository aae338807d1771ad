import {
  truncateLine,
  padLine,
  createSegment,
  getTextWidth,
  wrapLine,
  toPlainLine,
  type StyledLine,
} from './styled-line.ts';
import { isTypingInWorkView, isWaitingForUser, type ScreenModel } from './screen-model.ts';

/** Renders the typed line with the cursor, or else pending steering or a hint. */
export function renderInputLine(model: ScreenModel, columns: number): StyledLine {
  const { ui, pendingSteering, descriptor } = model;
  if (descriptor.mode === 'watch')
    return truncateLine([createSegment(' watching; the session runs elsewhere', 'dim')], columns);
  if (isTypingInWorkView(model)) return renderTypedLine(model, columns);
  if (pendingSteering.length > 0) {
    const more = pendingSteering.length === 1 ? '' : `and ${pendingSteering.length - 1} more `;
    return truncateLine(
      [
        createSegment(' › ', 'dim'),
        createSegment(pendingSteering[0] ?? '', 'dim'),
        createSegment(`  ${more}queued`, 'warn'),
      ],
      columns,
    );
  }
  const draft = ui.input.text === '' ? 'enter to write' : ui.input.text;
  return truncateLine([createSegment(' › ', 'dim'), createSegment(draft, 'dim')], columns);
}

/** Renders the part of a long line around the cursor. */
function renderTypedLine(model: ScreenModel, columns: number): StyledLine {
  const { text, cursor } = model.ui.input;
  const before = toPlainLine(text.slice(0, cursor));
  const after = toPlainLine(text.slice(cursor));
  const room = Math.max(1, columns - 6);
  const visible = getTextWidth(before) <= room ? before : `…${takeTextTail(before, room - 1)}`;
  const marker = isWaitingForUser(model) ? ' › ' : ' ↳ ';
  const hint = text === '' ? [createSegment(getInputPlaceholder(model), 'dim')] : [];
  return padLine(
    [
      createSegment(marker, 'accent'),
      createSegment(visible),
      createSegment('▏', 'accent'),
      createSegment(after),
      ...hint,
    ],
    columns,
  );
}

function takeTextTail(text: string, room: number): string {
  const reversed = Array.from(text.slice(-2 * room))
    .toReversed()
    .join('');
  const [head = ''] = wrapLine(reversed, room, 'anywhere');
  return Array.from(head).toReversed().join('');
}

function getInputPlaceholder(model: ScreenModel): string {
  if (model.questions[0]?.kind === 'model') return 'your answer';
  return isWaitingForUser(model)
    ? 'your message'
    : 'message to the agent; it is delivered with the next request';
}
