import { describeCall } from '@pawl/runtime/permission';
import {
  truncateLine,
  wrapText,
  createSegment,
  wrapLine,
  toPlainLine,
  type StyledLine,
} from './styled-line.ts';
import type { PendingQuestion, ScreenSize } from './screen-model.ts';

/** Renders a question with everything needed to answer it; rows that do not fit are reached by scrolling. */
export function renderQuestion(
  pending: PendingQuestion,
  { columns, rows }: ScreenSize,
  isTyping: boolean,
): readonly StyledLine[] {
  const all = renderQuestionLines(pending, columns);
  const shownRows = clampBodyRows(all.length, rows);
  const scroll = Math.min(pending.scroll, all.length - shownRows);
  const below = all.length - shownRows - scroll;
  const title = pending.kind === 'permission' ? ' May this run? ' : ' The agent asks ';
  const more = below > 0 ? ` ↓ ${below} more rows: page-down, end ` : '';
  return [
    renderTitleLine(title, more, columns),
    ...all.slice(scroll, scroll + shownRows),
    truncateLine(renderAnswerKeys(pending, isTyping), columns),
  ];
}

export function getMaxQuestionScroll(pending: PendingQuestion, { columns, rows }: ScreenSize): number {
  const all = renderQuestionLines(pending, columns).length;
  return all - clampBodyRows(all, rows);
}

/** Returns the number of rows a question needs. */
export function countQuestionRows(pending: PendingQuestion, columns: number): number {
  return renderQuestionLines(pending, columns).length + 2;
}

function clampBodyRows(lineCount: number, rows: number): number {
  return Math.max(1, Math.min(lineCount, rows - 2));
}

const questionLinesCache = new WeakMap<
  PendingQuestion['question'],
  { readonly columns: number; readonly lines: readonly StyledLine[] }
>();

/** Caches the layout, because a long call would otherwise be laid out for each frame. */
function renderQuestionLines(pending: PendingQuestion, columns: number): readonly StyledLine[] {
  const cached = questionLinesCache.get(pending.question);
  if (cached?.columns === columns) return cached.lines;
  const lines =
    pending.kind === 'permission'
      ? renderPermissionQuestion(pending, columns)
      : renderModelQuestion(pending, columns);
  questionLinesCache.set(pending.question, { columns, lines });
  return lines;
}

type QuestionOfKind<Kind extends PendingQuestion['kind']> = Extract<PendingQuestion, { readonly kind: Kind }>;

function renderPermissionQuestion(
  { question }: QuestionOfKind<'permission'>,
  columns: number,
): readonly StyledLine[] {
  const { call, reason, always } = question;
  const described = describeCall(call, { width: columns - 3 }).lines;
  // Wide characters can make a row too long, so wrap it instead of truncating it.
  const [tool = '', ...args] = described.flatMap((line) =>
    wrapLine(toPlainLine(line), columns - 2, 'anywhere'),
  );
  return [
    [createSegment(` ${tool}`, 'strong')],
    ...args.map((row): StyledLine => [createSegment(` ${row}`)]),
    ...wrapText(reason, columns - 3).map((row): StyledLine => [createSegment(` ${row}`, 'dim')]),
    ...(always === null ? [] : wrapText(`always allows: ${always}`, columns - 3)).map((row): StyledLine => [
      createSegment(` ${row}`, 'dim'),
    ]),
  ];
}

function renderModelQuestion(
  { question: { question, options } }: QuestionOfKind<'model'>,
  columns: number,
): readonly StyledLine[] {
  return [
    ...wrapText(question, columns - 3).map((row): StyledLine => [createSegment(` ${row}`, 'strong')]),
    ...options.map((option, index) =>
      truncateLine([createSegment(`  ${index + 1}. `, 'accent'), createSegment(option)], columns),
    ),
  ];
}

function renderTitleLine(title: string, more: string, columns: number): StyledLine {
  const rule = '─'.repeat(Math.max(0, columns - title.length - more.length - 2));
  return truncateLine(
    [
      createSegment('──', 'warn'),
      createSegment(title, 'warn'),
      createSegment(rule, 'warn'),
      createSegment(more, 'warn'),
    ],
    columns,
  );
}

function renderAnswerKeys(pending: PendingQuestion, isTyping: boolean): StyledLine {
  if (pending.kind === 'model') return [createSegment(' type the answer, or a number, then enter', 'dim')];
  if (isTyping) return [createSegment(' you are typing: press esc first, then y, n or a', 'warn')];
  const always =
    pending.question.always === null ? [] : [createSegment('   a', 'strong'), createSegment(' always')];
  return [
    createSegment(' y', 'strong'),
    createSegment(' yes'),
    createSegment('   n', 'strong'),
    createSegment(' no'),
    ...always,
    createSegment('   esc', 'strong'),
    createSegment(' interrupt'),
  ];
}
