import type { Session, TurnStatus } from '@pawl/core';
import { computePhaseProgress } from '@pawl/core/phases';
import { describeToolCall } from '../output/tool-phrases.ts';
import { formatDuration } from '../output/format-time.ts';
import { formatMoney } from './governor-view.ts';
import {
  createSegment,
  formatInteger,
  formatPercent,
  joinPieces,
  justifyLine,
  type StyledLine,
  type TextStyle,
} from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';

/** Renders what the agent does, and model, tokens, cost and context left; a finding of the governor comes first. */
export function renderStatusLine(model: ScreenModel, columns: number): StyledLine {
  const { session, now } = model;
  const { turn } = session;
  const style = getStatusStyle(turn.status);
  const elapsed = turn.status === 'waitingForUser' ? '' : ` · ${formatElapsedSeconds(now - turn.since)}`;
  const left: StyledLine = [
    createSegment(` ${getStatusSymbol(turn.status, now)} `, style),
    createSegment(describeStatus(session), style),
    createSegment(elapsed, 'dim'),
  ];
  return justifyLine(
    left,
    [...joinPieces(renderFacts(model), Math.floor(columns * 0.6)), createSegment(' ')],
    columns,
  );
}

function renderFacts({ session, usage, descriptor, verdicts, now }: ScreenModel): readonly StyledLine[] {
  const { inputTokens, outputTokens, cost } = usage;
  const { window, settings, mode } = session;
  const tokens = inputTokens + outputTokens;
  const hasWindow = window !== null && settings.windowTokens !== null && settings.windowTokens > 0;
  const left = hasWindow ? 1 - window.tokens / (settings.windowTokens ?? 1) : null;
  return [
    ...(verdicts.latest === null ? [] : [[createSegment(`governor: ${verdicts.latest.rule}`, 'warn')]]),
    ...(mode === null ? [] : [[createSegment(mode.state, 'accent')]]),
    ...renderPhase(session, now),
    [createSegment(descriptor.model, 'dim')],
    ...(tokens === 0 ? [] : [[createSegment(`${formatThousands(tokens)} tokens`, 'dim')]]),
    ...(cost > 0 ? [[createSegment(formatMoney(cost), 'dim')]] : []),
    ...(left === null
      ? []
      : [[createSegment(`${formatPercent(left)} context left`, left < 0.2 ? 'warn' : 'dim')]]),
  ];
}

function renderPhase({ phases }: Session, now: number): readonly StyledLine[] {
  const { current, total, overdue } = computePhaseProgress(phases, now);
  if (current === null) return [];
  const text = total === null ? `phase ${current.number}` : `phase ${current.number} of ${total}`;
  return [[createSegment(text, overdue ? 'warn' : 'plain')]];
}

/** The usage of the session, for `/cost`. */
export function formatUsage({ usage }: ScreenModel): string {
  const { modelCalls, toolCalls, inputTokens, outputTokens, cost } = usage;
  const price = cost > 0 ? formatMoney(cost) : 'unknown or free';
  return (
    `${formatInteger(inputTokens)} tokens in, ${formatInteger(outputTokens)} out · cost ${price} · ` +
    `${formatInteger(modelCalls)} model calls, ${formatInteger(toolCalls)} tool calls`
  );
}

/** 950, 12.4k, 1.2M */
function formatThousands(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Describes the state of a session in everyday words. */
function describeStatus({ turn }: Session): string {
  switch (turn.status) {
    case 'callingModel':
      if (turn.ask.finish !== null) return 'Writing the last answer';
      return turn.streaming ? 'Writing' : 'Thinking';
    case 'executingTools':
      return describeExecutions(turn);
    case 'errorRecovery':
      return turn.origin === 'tool' ? 'Looking for a way out' : 'Waiting to retry after a failure';
    case 'halted':
      return `Stopped: ${turn.haltReason.reason}`;
    default:
      return statusTexts[turn.status];
  }
}

type StateOf<Status extends TurnStatus> = Extract<Session['turn'], { readonly status: Status }>;

const statusTexts = {
  waitingForUser: 'Ready',
  awaitingPermission: 'Waiting for your decision',
  postToolsHook: 'Running hooks',
  paging: 'Making room in the context',
  paused: 'Paused: /continue resumes',
  shuttingDown: 'Ended',
} as const;

function describeExecutions({ executions }: StateOf<'executingTools'>): string {
  const unfinished = executions.filter(({ status }) => status !== 'completed');
  const [only] = unfinished;
  return unfinished.length === 1 && only !== undefined
    ? describeToolCall(only.call).doing
    : `Running ${unfinished.length} tools`;
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
