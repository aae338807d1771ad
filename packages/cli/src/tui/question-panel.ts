import { describeCall, revealHiddenCharacters, type ReviewedChange } from '@pawl/runtime/permission';
import { describeFileChange } from '../output/diff-lines.ts';
import { renderDiff } from './diff-view.ts';
import {
  truncateLine,
  wrapText,
  createSegment,
  wrapLine,
  toPlainLine,
  type StyledLine,
} from './styled-line.ts';
import { getSelectedOption, listPermissionOptions, parseOptionNumber } from './questions.ts';
import type { PendingQuestion, ScreenModel, ScreenSize } from './screen-model.ts';

/** Renders a question with everything needed to answer it, and a menu; rows that do not fit are reached by scrolling. */
export function renderQuestion(
  model: ScreenModel,
  pending: PendingQuestion,
  size: ScreenSize,
): readonly StyledLine[] {
  const { columns } = size;
  const all = renderQuestionLines(pending, columns);
  const shownRows = clampBodyRows(all.length, pending, size);
  const scroll = Math.min(pending.scroll, all.length - shownRows);
  const below = all.length - shownRows - scroll;
  const title = pending.kind === 'permission' ? ' May this run? ' : ' The agent asks ';
  const more = below > 0 ? ` ↓ ${below} more rows: page-down, end ` : '';
  return [
    renderTitleLine(title, more, columns),
    ...all.slice(scroll, scroll + shownRows),
    ...renderMenu(model, pending).map((line) => truncateLine(line, columns)),
  ];
}

export function getMaxQuestionScroll(pending: PendingQuestion, size: ScreenSize): number {
  const all = renderQuestionLines(pending, size.columns).length;
  return all - clampBodyRows(all, pending, size);
}

/** Returns the number of rows a question needs. */
export function countQuestionRows(pending: PendingQuestion, columns: number): number {
  return renderQuestionLines(pending, columns).length + countMenuRows(pending) + 1;
}

function clampBodyRows(lineCount: number, pending: PendingQuestion, { rows }: ScreenSize): number {
  return Math.max(1, Math.min(lineCount, rows - countMenuRows(pending) - 1));
}

function countMenuRows(pending: PendingQuestion): number {
  return pending.kind === 'permission'
    ? listPermissionOptions(pending.question).length
    : pending.question.options.length;
}

/** Renders the options; the selected one is what Enter chooses. */
function renderMenu({ ui }: ScreenModel, pending: PendingQuestion): readonly StyledLine[] {
  const typed = ui.isAnswering ? ui.input.text : '';
  if (pending.kind === 'model') {
    const { options } = pending.question;
    const number = parseOptionNumber(typed.trim(), options.length);
    const selected = number ?? (typed.trim() === '' ? pending.selected : null);
    return options.map((option, index) => renderOption(index, option, ui.isAnswering && index === selected));
  }
  const { index: selected, reason } = getSelectedOption(pending, typed);
  return listPermissionOptions(pending.question).map(({ kind, label }, index) => {
    const hint = reason === null ? ', or type the reason for the agent' : `, and tell the agent: ${reason}`;
    const text = kind === 'deny' ? label + hint : label;
    return renderOption(index, text, ui.isAnswering && index === selected);
  });
}

function renderOption(index: number, label: string, isSelected: boolean): StyledLine {
  return [
    createSegment(isSelected ? ' ❯ ' : '   ', 'accent'),
    createSegment(`${index + 1}. `, isSelected ? 'accent' : 'dim'),
    createSegment(label, isSelected ? 'strong' : 'plain'),
  ];
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
  const { call, change, reason } = question;
  const reasonRows = wrapText(reason, columns - 3).map((row): StyledLine => [
    createSegment(` ${row}`, 'dim'),
  ]);
  if (change !== null) return [...renderReviewedChange(call.tool, change, columns), ...reasonRows];
  const described = describeCall(call, { width: columns - 3 }).lines;
  // Wide characters can make a row too long, so wrap it instead of truncating it.
  const [tool = '', ...args] = described.flatMap((line) =>
    wrapLine(toPlainLine(line), columns - 2, 'anywhere'),
  );
  return [
    [createSegment(` ${tool}`, 'strong')],
    ...args.map((row): StyledLine => [createSegment(` ${row}`)]),
    ...reasonRows,
  ];
}

/** Shows a change to a file as a diff; replacing a whole file is pointed out. */
function renderReviewedChange(tool: string, change: ReviewedChange, columns: number): readonly StyledLine[] {
  const isOverwritten = tool === 'write' && change.linesBefore !== null;
  const summary = isOverwritten
    ? `replaces the whole file, ${change.linesBefore} lines by ${change.linesAfter}`
    : describeFileChange(change);
  return [
    [
      createSegment(` ${tool} ${revealHiddenCharacters(change.path)}`, 'strong'),
      createSegment(`  ${summary}`, isOverwritten ? 'warn' : 'dim'),
    ],
    ...renderDiff(change.diff, columns),
  ].map((line) => truncateLine(line, columns));
}

function renderModelQuestion(
  { question: { question } }: QuestionOfKind<'model'>,
  columns: number,
): readonly StyledLine[] {
  return wrapText(question, columns - 3).map((row): StyledLine => [createSegment(` ${row}`, 'strong')]);
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
