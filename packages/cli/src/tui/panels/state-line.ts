import type { TurnStatus } from '@pawl/core';
import { duration } from '../../commands/show-time.ts';
import { seg, spread, type Line, type Style } from '../line.ts';
import { viewNames, type ScreenModel } from '../screen.ts';

/** What the session waits for, how long it has, in which mode; and which view this is. */
export function stateLine(model: ScreenModel, columns: number): Line {
  const { session, now } = model;
  const { turn, mode } = session;
  const left: Line = [
    seg(` ${signOf(turn.status, now)} `, styleOf(turn.status)),
    seg(turn.status, styleOf(turn.status)),
    seg(`  ${age(now - turn.since)}`, 'dim'),
    ...(turn.status === 'paused' ? [seg(`  in ${turn.held.status}`, 'dim')] : []),
    ...(mode === null ? [] : [seg('  mode ', 'dim'), seg(mode.state, 'accent')]),
  ];
  return spread(left, tabs(model, columns), columns);
}

function tabs({ ui }: ScreenModel, columns: number): Line {
  if (columns < 76) return [seg(ui.view, 'strong'), seg(' ')];
  return viewNames.flatMap((name) => [seg(name, name === ui.view ? 'strong' : 'dim'), seg(' ')]);
}

/** Whole seconds, so that the line does not flicker. */
function age(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  const whole = Math.floor(Math.max(0, ms) / 1_000) * 1_000;
  return whole < 60_000 ? `${whole / 1_000} s` : duration(whole);
}

const turning = ['◐', '◓', '◑', '◒'] as const;

function signOf(status: TurnStatus, now: number): string {
  if (status === 'waitingForUser') return '○';
  if (status === 'paused') return '‖';
  if (status === 'awaitingPermission') return '?';
  if (status === 'halted' || status === 'shuttingDown') return '■';
  return turning[Math.floor(now / 250) % turning.length] ?? turning[0];
}

function styleOf(status: TurnStatus): Style {
  if (status === 'waitingForUser') return 'strong';
  if (status === 'paused' || status === 'awaitingPermission' || status === 'errorRecovery') return 'warn';
  return status === 'halted' ? 'bad' : 'accent';
}
