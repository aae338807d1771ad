import type { TurnStatus } from '@pawl/core';
import { formatDuration } from '../output/format-time.ts';
import { createSegment, justifyLine, type StyledLine, type TextStyle } from './styled-line.ts';
import { screenViewNames, type ScreenModel } from './screen-model.ts';

/** Renders the session's status, its duration and mode, and the current view. */
export function renderStateLine(model: ScreenModel, columns: number): StyledLine {
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
