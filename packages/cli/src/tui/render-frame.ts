import { getOpenQuestion } from './questions.ts';
import {
  blankLine,
  truncateLine,
  padLine,
  createSegment,
  renderBar,
  wrapText,
  justifyLine,
  type StyledLine,
  type StyledSegment,
  type TextStyle,
} from './styled-line.ts';
import { renderChartColumn, renderChartStrip } from './chart-strip.ts';
import { renderEventLog } from './logged-events.ts';
import { renderFooter, renderHelp } from './key-help.ts';
import { renderBudgetStrip, renderGovernorColumn, renderGovernorStrip } from './governor-strip.ts';
import { renderInputLine } from './input-line.ts';
import {
  renderMemoryColumn,
  renderMemoryStrip,
  renderUsageColumn,
  renderUsageStrip,
} from './memory-strip.ts';
import { renderMemoryView } from './memory-view.ts';
import { renderQuestion, countQuestionRows } from './question-panel.ts';
import { renderTranscriptEnd, renderTranscript } from './transcript-panel.ts';
import { screenViewNames, type ScreenModel, type ScreenSize } from './screen-model.ts';
import { formatPhaseLine, computePhaseProgress } from '@pawl/core/phases';
import type { TurnStatus } from '@pawl/core';
import { formatDuration } from '../output/format-time.ts';

/**
 * Renders the whole screen: one line per row, each one column narrower than the screen, because a terminal scrolls when
 * its last cell is written. The layout depends only on the size, so that panels do not move during work.
 */
export function renderFrame(model: ScreenModel): readonly StyledLine[] {
  const { rows } = model.size;
  const columns = getUsableColumns(model);
  const { ui } = model;
  const body = ui.view === 'work' ? renderWorkBody(model) : renderViewBody(model);
  const lines = [
    renderStateLine(model, columns),
    ...body,
    [createSegment('─'.repeat(columns), 'dim')],
    renderInputLine(model, columns),
    renderFooter(model, columns),
  ];
  return padRows(lines.slice(0, rows), rows).map((line) => truncateLine(line, columns));
}

/** The area between the first line and the last three. */
export function getBodySize(model: ScreenModel): ScreenSize {
  return { columns: getUsableColumns(model), rows: Math.max(0, model.size.rows - 4) };
}

/** The area of the transcript in the work view. */
function getTranscriptSize(model: ScreenModel): ScreenSize {
  const { columns, rows } = getBodySize(model);
  if (isWideScreen(model)) return { columns: columns - sidebarColumns - 3, rows };
  return { columns, rows: Math.max(0, rows - renderStrips(model).length) };
}

/** The area of a question, which may cover the whole transcript. */
export function getQuestionSize(model: ScreenModel): ScreenSize {
  const { columns, rows } = getTranscriptSize(model);
  const pending = getOpenQuestion(model);
  const neededRows = pending === null ? 0 : countQuestionRows(pending, columns);
  return { columns, rows: Math.min(neededRows, rows) };
}

/** Renders all lines of the current view; only some of them fit on the screen. */
export function renderViewLines(model: ScreenModel): readonly StyledLine[] {
  const { columns } = getBodySize(model);
  const { ui, now } = model;
  switch (ui.view) {
    case 'work':
      return [];
    case 'transcript':
      return renderTranscript(ui.frozen?.transcript ?? model.transcript, { columns, now, cardRows: 30 });
    case 'events':
      return renderEventLog(ui.frozen?.events ?? model.events, columns);
    case 'memory':
      return renderMemoryView(model, getBodySize(model));
    case 'help':
      return renderHelp(model, columns);
    default:
      return ui.view satisfies never;
  }
}

/** The rightmost column stays free. */
function getUsableColumns({ size }: ScreenModel): number {
  return Math.max(1, size.columns - 1);
}

const sidebarColumns = 40;

function isWideScreen({ size: { columns, rows } }: ScreenModel): boolean {
  return columns >= 120 && rows >= 30;
}

function renderWorkBody(model: ScreenModel): readonly StyledLine[] {
  const { columns, rows } = getTranscriptSize(model);
  const pending = getOpenQuestion(model);
  const question =
    pending === null ? [] : renderQuestion(pending, getQuestionSize(model), model.ui.isTyping).slice(0, rows);
  const transcriptRows = rows - question.length;
  const options = { columns, now: model.now, cardRows: model.ui.cardsOpen ? 8 : 0 };
  const transcript = transcriptRows > 0 ? renderTranscriptEnd(model.transcript, transcriptRows, options) : [];
  const main = [...alignBottom(transcript, transcriptRows), ...question];
  return isWideScreen(model)
    ? joinColumns(main, renderSidebar(model, rows), columns)
    : [...main, ...renderStrips(model)];
}

/** Aligns text at the bottom, where the next text appears. */
function alignBottom(lines: readonly StyledLine[], rows: number): readonly StyledLine[] {
  return [...Array<StyledLine>(Math.max(0, rows - lines.length)).fill(blankLine), ...lines];
}

/** Renders the panels below the transcript; a screen with few rows has fewer of them. */
function renderStrips(model: ScreenModel): readonly StyledLine[] {
  const { rows } = model.size;
  const columns = getUsableColumns(model);
  if (rows < 12) return [];
  const rule: StyledLine = [createSegment('─'.repeat(columns), 'dim')];
  const chart = renderChartStrip(model, columns, rows < 22 ? 1 : 2);
  const phases = renderPhasesBar(model, columns);
  const usage = renderUsageStrip(model, columns);
  if (rows < 20)
    return [rule, ...chart.slice(0, 1), ...phases, renderGovernorStrip(model, columns, true), usage];
  const isTall = rows >= 24;
  return [
    rule,
    ...chart,
    ...phases,
    ...(isTall ? renderBudgetStrip(model, columns) : []),
    renderGovernorStrip(model, columns, !isTall),
    renderMemoryStrip(model, columns),
    usage,
  ];
}

function renderSidebar(model: ScreenModel, rows: number): readonly StyledLine[] {
  const columns = sidebarColumns;
  const chart = addPanelTitle('state', renderChartColumn(model, columns));
  const phases = renderPhasesColumn(model, columns);
  const tail = [
    ...(phases.length === 0 ? [] : [...addPanelTitle('phases', phases), blankLine]),
    ...addPanelTitle('memory', renderMemoryColumn(model, columns)),
    blankLine,
    ...addPanelTitle('used', renderUsageColumn(model, columns)),
  ];
  const room = rows - chart.length - tail.length - 3;
  return [
    ...chart,
    blankLine,
    ...addPanelTitle('governor', renderGovernorColumn(model, columns, Math.max(1, room))),
    blankLine,
    ...tail,
  ];
}

function addPanelTitle(title: string, lines: readonly StyledLine[]): readonly StyledLine[] {
  return [[createSegment(` ${title}`, 'strong')], ...lines];
}

function joinColumns(
  left: readonly StyledLine[],
  right: readonly StyledLine[],
  columns: number,
): readonly StyledLine[] {
  return left.map((line, index) => [
    ...padLine(line, columns),
    createSegment(' │ ', 'dim'),
    ...(right[index] ?? blankLine),
  ]);
}

function renderViewBody(model: ScreenModel): readonly StyledLine[] {
  const { rows } = getBodySize(model);
  const lines = renderViewLines(model);
  const { view, scroll } = model.ui;
  const isReadFromEnd = view === 'transcript' || view === 'events';
  const start = isReadFromEnd
    ? Math.max(0, lines.length - rows - scroll)
    : Math.min(scroll, Math.max(0, lines.length - rows));
  return padRows(lines.slice(start, start + rows), rows);
}

function padRows(lines: readonly StyledLine[], rows: number): readonly StyledLine[] {
  return [...lines, ...Array<StyledLine>(Math.max(0, rows - lines.length)).fill(blankLine)];
}

/** Renders phase progress on one row; empty without phases. */
function renderPhasesBar(model: ScreenModel, columns: number): readonly StyledLine[] {
  const summary = summarizePhases(model);
  if (summary === null) return [];
  const gap = summary.cells.length === 0 ? [] : [createSegment(' ')];
  return [
    truncateLine([createSegment(' phases   ', 'dim'), ...summary.cells, ...gap, summary.line], columns),
  ];
}

const maxPhaseRows = 3;

/** Renders phase progress in a few rows. */
function renderPhasesColumn(model: ScreenModel, columns: number): readonly StyledLine[] {
  const summary = summarizePhases(model);
  if (summary === null) return [];
  const { line, cells } = summary;
  const rows = wrapText(line.text, columns - 2).slice(0, maxPhaseRows);
  return [
    ...(cells.length === 0 ? [] : [[createSegment(' '), ...cells]]),
    ...rows.map((row) => truncateLine([createSegment(' '), { ...line, text: row }], columns)),
  ];
}

function summarizePhases({
  session: { phases },
  now,
}: ScreenModel): { readonly cells: StyledLine; readonly line: StyledSegment } | null {
  const progress = computePhaseProgress(phases, now);
  const { current, total, completed, failed, overdue } = progress;
  if (current === null && completed === 0) return null;
  const cells =
    total === null ? [] : renderBar(completed / total, Math.min(total, 12), failed > 0 ? 'bad' : 'good');
  return { cells, line: createSegment(formatPhaseLine(progress), overdue ? 'warn' : 'plain') };
}

/** Renders the session's status, its duration and mode, and the current view. */
function renderStateLine(model: ScreenModel, columns: number): StyledLine {
  const { session, now } = model;
  const { turn, mode } = session;
  const left: StyledLine = [
    createSegment(` ${getStatusSymbol(turn.status, now)} `, getStatusStyle(turn.status)),
    createSegment(turn.status, getStatusStyle(turn.status)),
    createSegment(`  ${formatElapsedSeconds(now - turn.since)}`, 'dim'),
    ...(turn.status === 'paused' ? [createSegment(`  in ${turn.held.status}`, 'dim')] : []),
    ...(mode === null ? [] : [createSegment('  mode ', 'dim'), createSegment(mode.state, 'accent')]),
  ];
  return justifyLine(left, renderTabs(model, columns), columns);
}

function renderTabs({ ui }: ScreenModel, columns: number): StyledLine {
  if (columns < 76) return [createSegment(ui.view, 'strong'), createSegment(' ')];
  return screenViewNames.flatMap((name) => [
    createSegment(name, name === ui.view ? 'strong' : 'dim'),
    createSegment(' '),
  ]);
}

/** Whole seconds, so that the line does not flicker. */
function formatElapsedSeconds(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  const whole = Math.floor(Math.max(0, ms) / 1_000) * 1_000;
  return whole < 60_000 ? `${whole / 1_000} s` : formatDuration(whole);
}

const spinnerFrames = ['◐', '◓', '◑', '◒'] as const;

function getStatusSymbol(status: TurnStatus, now: number): string {
  if (status === 'waitingForUser') return '○';
  if (status === 'paused') return '‖';
  if (status === 'awaitingPermission') return '?';
  if (status === 'halted' || status === 'shuttingDown') return '■';
  return spinnerFrames[Math.floor(now / 250) % spinnerFrames.length] ?? spinnerFrames[0];
}

function getStatusStyle(status: TurnStatus): TextStyle {
  if (status === 'waitingForUser') return 'strong';
  if (status === 'paused' || status === 'awaitingPermission' || status === 'errorRecovery') return 'warn';
  return status === 'halted' ? 'bad' : 'accent';
}
