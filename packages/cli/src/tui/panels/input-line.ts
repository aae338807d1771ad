import { fitted, padded, seg, widthOf, wrapped, type Line } from '../line.ts';
import { plainLine } from '../plain.ts';
import { isTypingNow, isWaiting, type ScreenModel } from '../screen.ts';

/** The line that is typed, with the cursor in it, or what one could do instead. */
export function inputLine(model: ScreenModel, columns: number): Line {
  const { ui, unheard, about } = model;
  if (about.mode === 'watch') return fitted([seg(' watching; the session runs elsewhere', 'dim')], columns);
  if (isTypingNow(model)) return typedLine(model, columns);
  if (unheard.length > 0) {
    const more = unheard.length === 1 ? '' : `and ${unheard.length - 1} more `;
    const waiting = `${more}${unheard.length > 2 ? 'wait' : 'waits'} to be heard`;
    return fitted([seg(' › ', 'dim'), seg(unheard[0] ?? '', 'dim'), seg(`  ${waiting}`, 'warn')], columns);
  }
  const draft = ui.input.text === '' ? 'enter to write' : ui.input.text;
  return fitted([seg(' › ', 'dim'), seg(draft, 'dim')], columns);
}

/** Of a long line the part around the cursor is shown. */
function typedLine(model: ScreenModel, columns: number): Line {
  const { text, cursor } = model.ui.input;
  const before = plainLine(text.slice(0, cursor));
  const after = plainLine(text.slice(cursor));
  const room = Math.max(1, columns - 6);
  const visible = widthOf(before) <= room ? before : `…${tailOf(before, room - 1)}`;
  const mark = isWaiting(model) ? ' › ' : ' ↳ ';
  const hint = text === '' ? [seg(placeholder(model), 'dim')] : [];
  return padded([seg(mark, 'accent'), seg(visible), seg('▏', 'accent'), seg(after), ...hint], columns);
}

function tailOf(text: string, room: number): string {
  const reversed = Array.from(text.slice(-2 * room))
    .toReversed()
    .join('');
  const [head = ''] = wrapped(reversed, room, 'anywhere');
  return Array.from(head).toReversed().join('');
}

function placeholder(model: ScreenModel): string {
  if (model.questions[0]?.kind === 'model') return 'your answer';
  return isWaiting(model) ? 'your message' : 'what the agent is to know; it hears it when it is asked next';
}
