import { describeCall } from '@pawl/runtime';
import { fitted, rowsOf, seg, wrapped, type Line } from '../line.ts';
import { plainLine } from '../plain.ts';
import type { AskedQuestion } from '../questions.ts';
import type { Size } from '../screen.ts';

/** A question with everything that is to be known to answer it. What finds no room is reached by scrolling. */
export function questionPanel(
  asked: AskedQuestion,
  { columns, rows }: Size,
  isTyping: boolean,
): readonly Line[] {
  const all = questionLines(asked, columns);
  const shownRows = bodyRows(all.length, rows);
  const scroll = Math.min(asked.scroll, all.length - shownRows);
  const below = all.length - shownRows - scroll;
  const title = asked.kind === 'permission' ? ' May this run? ' : ' The agent asks ';
  const more = below > 0 ? ` ↓ ${below} more rows: page-down, end ` : '';
  return [
    titleLine(title, more, columns),
    ...all.slice(scroll, scroll + shownRows),
    fitted(answersFor(asked, isTyping), columns),
  ];
}

/** How far a question can be scrolled. */
export function questionReach(asked: AskedQuestion, { columns, rows }: Size): number {
  const all = questionLines(asked, columns).length;
  return all - bodyRows(all, rows);
}

/** The rows that a question would like to have. */
export function questionRows(asked: AskedQuestion, columns: number): number {
  return questionLines(asked, columns).length + 2;
}

function bodyRows(wanted: number, rows: number): number {
  return Math.max(1, Math.min(wanted, rows - 2));
}

const made = new WeakMap<
  AskedQuestion['question'],
  { readonly columns: number; readonly lines: readonly Line[] }
>();

/** Long calls are laid out once, not for each frame. */
function questionLines(asked: AskedQuestion, columns: number): readonly Line[] {
  const before = made.get(asked.question);
  if (before?.columns === columns) return before.lines;
  const lines = asked.kind === 'permission' ? permissionLines(asked, columns) : modelLines(asked, columns);
  made.set(asked.question, { columns, lines });
  return lines;
}

type Asked<Kind extends AskedQuestion['kind']> = Extract<AskedQuestion, { readonly kind: Kind }>;

function permissionLines({ question }: Asked<'permission'>, columns: number): readonly Line[] {
  const { call, why, always } = question;
  const described = describeCall(call, { width: columns - 3 }).lines;
  // Characters that take two columns make a row longer than it was meant to be; nothing of it may be lost.
  const [tool = '', ...args] = described.flatMap((line) => wrapped(plainLine(line), columns - 2, 'anywhere'));
  return [
    [seg(` ${tool}`, 'strong')],
    ...args.map((row): Line => [seg(` ${row}`)]),
    ...rowsOf(why, columns - 3).map((row): Line => [seg(` ${row}`, 'dim')]),
    ...(always === null ? [] : rowsOf(`always means: ${always}`, columns - 3)).map((row): Line => [
      seg(` ${row}`, 'dim'),
    ]),
  ];
}

function modelLines({ question: { question, options } }: Asked<'model'>, columns: number): readonly Line[] {
  return [
    ...rowsOf(question, columns - 3).map((row): Line => [seg(` ${row}`, 'strong')]),
    ...options.map((option, index) => fitted([seg(`  ${index + 1}. `, 'accent'), seg(option)], columns)),
  ];
}

function titleLine(title: string, more: string, columns: number): Line {
  const rule = '─'.repeat(Math.max(0, columns - title.length - more.length - 2));
  return fitted([seg('──', 'warn'), seg(title, 'warn'), seg(rule, 'warn'), seg(more, 'warn')], columns);
}

function answersFor(asked: AskedQuestion, isTyping: boolean): Line {
  if (asked.kind === 'model') return [seg(' type the answer, or a number, then enter', 'dim')];
  if (isTyping) return [seg(' you are writing: esc leaves the line, then y, n or a', 'warn')];
  const always = asked.question.always === null ? [] : [seg('   a', 'strong'), seg(' always')];
  return [
    seg(' y', 'strong'),
    seg(' yes'),
    seg('   n', 'strong'),
    seg(' no'),
    ...always,
    seg('   esc', 'strong'),
    seg(' interrupt'),
  ];
}
