import { computePhaseProgress, formatPhaseLine } from '@pawl/core/phases';
import { renderChanges } from './diff-view.ts';
import { renderChart } from './chart-view.ts';
import { renderGovernor } from './governor-view.ts';
import { renderInputArea } from './input-line.ts';
import { renderFooter, renderHelp } from './key-help.ts';
import { renderEventLog } from './logged-events.ts';
import { renderMemoryView } from './memory-view.ts';
import { countQuestionRows, renderQuestion } from './question-panel.ts';
import { getOpenQuestion } from './questions.ts';
import type { ScreenModel, ScreenSize, ScreenViewName } from './screen-model.ts';
import { renderStatusLine } from './status-line.ts';
import {
  blankLine,
  createSegment,
  renderBar,
  truncateLine,
  wrapText,
  type StyledLine,
} from './styled-line.ts';
import { renderTranscript, renderTranscriptEnd } from './transcript-panel.ts';

/**
 * Renders the whole screen: one line per row, each one column narrower than the screen, because a terminal scrolls when
 * its last cell is written. The input area grows with the typed text, and the body above it shrinks.
 */
export function renderFrame(model: ScreenModel): readonly StyledLine[] {
  const { rows } = model.size;
  const columns = getUsableColumns(model);
  const body = model.ui.view === 'work' ? renderWorkBody(model) : renderViewBody(model);
  const lines = [...body, ...renderControls(model)];
  return padRows(lines.slice(-rows), rows).map((line) => truncateLine(line, columns));
}

/** The rows below the body: the input, the status, and a hint. */
function renderControls(model: ScreenModel): readonly StyledLine[] {
  const columns = getUsableColumns(model);
  return [
    [createSegment('─'.repeat(columns), 'dim')],
    ...renderInputArea(model, columns),
    renderStatusLine(model, columns),
    renderFooter(model, columns),
  ];
}

/** The area above the controls. */
function getBodySize(model: ScreenModel): ScreenSize {
  const rows = Math.max(0, model.size.rows - renderControls(model).length);
  return { columns: getUsableColumns(model), rows };
}

/** The area of a view other than the work view, below its title. */
export function getViewSize(model: ScreenModel): ScreenSize {
  const { columns, rows } = getBodySize(model);
  return { columns, rows: Math.max(0, rows - 1) };
}

/** The area of a question, which may cover the whole transcript. */
export function getQuestionSize(model: ScreenModel): ScreenSize {
  const { columns, rows } = getBodySize(model);
  const pending = getOpenQuestion(model);
  const neededRows = pending === null ? 0 : countQuestionRows(pending, columns);
  return { columns, rows: Math.min(neededRows, rows) };
}

/** Renders all lines of the current view; only some of them fit on the screen. */
export function renderViewLines(model: ScreenModel): readonly StyledLine[] {
  return viewRenderers[model.ui.view](model, getViewSize(model));
}

const viewRenderers: {
  readonly [View in ScreenViewName]: (model: ScreenModel, size: ScreenSize) => readonly StyledLine[];
} = {
  work: () => [],
  transcript: ({ ui, transcript, now }, { columns }) =>
    renderTranscript(ui.frozen?.transcript ?? transcript, { columns, now, cardRows: 30 }),
  diff: ({ changes }, { columns }) => renderChanges(changes, columns),
  chart: (model, { columns }) => [...renderChart(model, columns), blankLine, ...renderPhases(model, columns)],
  governor: (model, { columns }) => renderGovernor(model, columns),
  memory: renderMemoryView,
  events: ({ ui, events }, { columns }) => renderEventLog(ui.frozen?.events ?? events, columns),
  help: (model, { columns }) => renderHelp(model, columns),
};

/** The rightmost column stays free. */
function getUsableColumns({ size }: ScreenModel): number {
  return Math.max(1, size.columns - 1);
}

function renderWorkBody(model: ScreenModel): readonly StyledLine[] {
  const { columns, rows } = getBodySize(model);
  const pending = getOpenQuestion(model);
  const question =
    pending === null ? [] : renderQuestion(model, pending, getQuestionSize(model)).slice(0, rows);
  const transcriptRows = rows - question.length;
  const options = { columns, now: model.now, cardRows: model.ui.cardsOpen ? 8 : 0 };
  const transcript = transcriptRows > 0 ? renderTranscriptEnd(model.transcript, transcriptRows, options) : [];
  return [...alignBottom(transcript, transcriptRows), ...question];
}

/** Aligns text at the bottom, where the next text appears. */
function alignBottom(lines: readonly StyledLine[], rows: number): readonly StyledLine[] {
  return [...Array<StyledLine>(Math.max(0, rows - lines.length)).fill(blankLine), ...lines];
}

function renderViewBody(model: ScreenModel): readonly StyledLine[] {
  const { rows } = getViewSize(model);
  const lines = renderViewLines(model);
  const { view, scroll } = model.ui;
  const isReadFromEnd = view === 'transcript' || view === 'events';
  const start = isReadFromEnd
    ? Math.max(0, lines.length - rows - scroll)
    : Math.min(scroll, Math.max(0, lines.length - rows));
  return padRows([renderViewTitle(model), ...lines.slice(start, start + rows)], rows + 1);
}

function renderViewTitle({ ui }: ScreenModel): StyledLine {
  return [createSegment(` ${ui.view}`, 'strong'), createSegment('  esc: back to work', 'dim')];
}

function padRows(lines: readonly StyledLine[], rows: number): readonly StyledLine[] {
  return [...lines, ...Array<StyledLine>(Math.max(0, rows - lines.length)).fill(blankLine)];
}

/** Renders phase progress; empty without phases. */
function renderPhases({ session: { phases }, now }: ScreenModel, columns: number): readonly StyledLine[] {
  const progress = computePhaseProgress(phases, now);
  const { current, total, completed, failed, overdue } = progress;
  if (current === null && completed === 0) return [];
  const cells =
    total === null ? [] : renderBar(completed / total, Math.min(total, 12), failed > 0 ? 'bad' : 'good');
  const rows = wrapText(formatPhaseLine(progress), columns - 2);
  return [
    [createSegment(' phases ', 'strong'), ...cells],
    ...rows.map((row): StyledLine => [createSegment(` ${row}`, overdue ? 'warn' : 'plain')]),
  ];
}
