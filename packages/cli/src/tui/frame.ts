import { openQuestion } from './ask.ts';
import { blank, fitted, padded, seg, type Line } from './line.ts';
import { chartColumn, chartStrip } from './panels/chart-strip.ts';
import { eventLog } from './panels/event-log.ts';
import { footer } from './panels/footer.ts';
import { budgetStrip, governorColumn, governorStrip } from './panels/governor-strip.ts';
import { help } from './panels/help.ts';
import { inputLine } from './panels/input-line.ts';
import { memoryColumn, memoryStrip, usedColumn, usedStrip } from './panels/memory-strip.ts';
import { memoryView } from './panels/memory-view.ts';
import { phasesBar, phasesColumn } from './panels/phases-bar.ts';
import { questionPanel, questionRows } from './panels/question.ts';
import { stateLine } from './panels/state-line.ts';
import { storyEnd, storyLines } from './panels/transcript.ts';
import type { ScreenModel, Size } from './screen.ts';

/**
 * The whole screen: as many lines as it has rows, each shorter than it is wide, since a terminal scrolls when its last cell is
 * written. What is where depends on the size alone, so that nothing moves while the work goes on.
 */
export function frame(model: ScreenModel): readonly Line[] {
  const { rows } = model.size;
  const columns = columnsOf(model);
  const { ui } = model;
  const body = ui.view === 'work' ? workBody(model) : viewBody(model);
  const lines = [
    stateLine(model, columns),
    ...body,
    [seg('─'.repeat(columns), 'dim')],
    inputLine(model, columns),
    footer(model, columns),
  ];
  return filled(lines.slice(0, rows), rows).map((line) => fitted(line, columns));
}

/** Rows and columns between the first line and the last three. */
export function bodySize(model: ScreenModel): Size {
  return { columns: columnsOf(model), rows: Math.max(0, model.size.rows - 4) };
}

/** Room for the story in the view of the work. */
function storySize(model: ScreenModel): Size {
  const { columns, rows } = bodySize(model);
  if (isWide(model)) return { columns: columns - sideColumns - 3, rows };
  return { columns, rows: Math.max(0, rows - strips(model).length) };
}

/** Room for a question: it may take all of the story's. */
export function questionSize(model: ScreenModel): Size {
  const { columns, rows } = storySize(model);
  const asked = openQuestion(model);
  const wanted = asked === null ? 0 : questionRows(asked, columns);
  return { columns, rows: Math.min(wanted, rows) };
}

/** All the lines of the view that is open, of which a part is shown. */
export function viewLines(model: ScreenModel): readonly Line[] {
  const { columns } = bodySize(model);
  const { ui, now } = model;
  switch (ui.view) {
    case 'work':
      return [];
    case 'transcript':
      return storyLines(ui.held?.story ?? model.story, { columns, now, cardRows: 30 });
    case 'events':
      return eventLog(ui.held?.events ?? model.events, columns);
    case 'memory':
      return memoryView(model, bodySize(model));
    case 'help':
      return help(model, columns);
    default:
      return ui.view satisfies never;
  }
}

/** One column is left free at the right. */
function columnsOf({ size }: ScreenModel): number {
  return Math.max(1, size.columns - 1);
}

const sideColumns = 40;

function isWide({ size: { columns, rows } }: ScreenModel): boolean {
  return columns >= 120 && rows >= 30;
}

function workBody(model: ScreenModel): readonly Line[] {
  const { columns, rows } = storySize(model);
  const asked = openQuestion(model);
  const question =
    asked === null ? [] : questionPanel(asked, questionSize(model), model.ui.isTyping).slice(0, rows);
  const storyRows = rows - question.length;
  const reading = { columns, now: model.now, cardRows: model.ui.cardsOpen ? 8 : 0 };
  const story = storyRows > 0 ? storyEnd(model.story, storyRows, reading) : [];
  const main = [...atBottom(story, storyRows), ...question];
  return isWide(model) ? beside(main, sideBar(model, rows), columns) : [...main, ...strips(model)];
}

/** The text stands where the next one will come: at the bottom. */
function atBottom(lines: readonly Line[], rows: number): readonly Line[] {
  return [...Array<Line>(Math.max(0, rows - lines.length)).fill(blank), ...lines];
}

/** The panels under the story. A lower screen has fewer of them. */
function strips(model: ScreenModel): readonly Line[] {
  const { rows } = model.size;
  const columns = columnsOf(model);
  if (rows < 12) return [];
  const rule: Line = [seg('─'.repeat(columns), 'dim')];
  const chart = chartStrip(model, columns, rows < 22 ? 1 : 2);
  const phases = phasesBar(model, columns);
  const used = usedStrip(model, columns);
  if (rows < 20) return [rule, ...chart.slice(0, 1), ...phases, governorStrip(model, columns, true), used];
  const isHigh = rows >= 24;
  return [
    rule,
    ...chart,
    ...phases,
    ...(isHigh ? budgetStrip(model, columns) : []),
    governorStrip(model, columns, !isHigh),
    memoryStrip(model, columns),
    used,
  ];
}

function sideBar(model: ScreenModel, rows: number): readonly Line[] {
  const columns = sideColumns;
  const chart = titled('state', chartColumn(model, columns));
  const phases = phasesColumn(model, columns);
  const tail = [
    ...(phases.length === 0 ? [] : [...titled('phases', phases), blank]),
    ...titled('memory', memoryColumn(model, columns)),
    blank,
    ...titled('used', usedColumn(model, columns)),
  ];
  const room = rows - chart.length - tail.length - 3;
  return [
    ...chart,
    blank,
    ...titled('governor', governorColumn(model, columns, Math.max(1, room))),
    blank,
    ...tail,
  ];
}

function titled(title: string, lines: readonly Line[]): readonly Line[] {
  return [[seg(` ${title}`, 'strong')], ...lines];
}

function beside(left: readonly Line[], right: readonly Line[], columns: number): readonly Line[] {
  return left.map((line, index) => [...padded(line, columns), seg(' │ ', 'dim'), ...(right[index] ?? blank)]);
}

function viewBody(model: ScreenModel): readonly Line[] {
  const { rows } = bodySize(model);
  const lines = viewLines(model);
  const { view, scroll } = model.ui;
  const isReadFromEnd = view === 'transcript' || view === 'events';
  const start = isReadFromEnd
    ? Math.max(0, lines.length - rows - scroll)
    : Math.min(scroll, Math.max(0, lines.length - rows));
  return filled(lines.slice(start, start + rows), rows);
}

function filled(lines: readonly Line[], rows: number): readonly Line[] {
  return [...lines, ...Array<Line>(Math.max(0, rows - lines.length)).fill(blank)];
}
