import { formatStatus } from '../../sessions/session-ending.ts';
import { formatDuration } from '../../output/format-time.ts';
import type { GroupStats, SavedWork, AggregateStats } from './aggregate.ts';
import { formatTextTable, type TextTable, truncateColumns } from '../../output/columns.ts';
import { formatCount, formatGroupedNumber, formatShare } from '../../output/format-number.ts';

/** Formats the statistics as tables. */
export function formatStats(stats: AggregateStats, width: number): readonly string[] {
  const { sessions, efficiency } = stats;
  if (sessions.counted === 0 && sessions.damaged === 0) return ['There are no sessions.'];
  const damaged = sessions.damaged === 0 ? '' : `, ${sessions.damaged} more unreadable`;
  const states = sessions.byState.map(({ name, count }) => `${count} ${formatStatus(name)}`).join(', ');
  const endings = sessions.byEnding.map(({ name, count }) => `${count} ${name}`).join(', ');
  return [
    `${formatCount(sessions.counted, 'session')}${damaged}`,
    `  states       ${states}`,
    `  endings      ${endings}`,
    `  efficiency   ${formatShare(efficiency.share)}: ${efficiency.effective} of ${formatCount(efficiency.steps, 'step')} made progress`,
    ...formatTimeTable(stats),
    ...formatTransitionTable(stats),
    ...formatLoopTable(stats),
    ...formatSavedWork(stats.saved),
    ...formatGroupTable('By profile', 'profile', stats.byProfile),
    ...formatGroupTable('By model', 'model', stats.byModel),
    ...formatToolTable(stats),
    ...formatAccuracyTable(stats),
  ].map((line) => truncateColumns(line, Math.max(width, 100)));
}

function formatTimeTable({ timeByState }: AggregateStats): readonly string[] {
  return formatStatsTable(
    'Time in each state',
    ['state', 'visits', 'total', 'median'],
    timeByState.map(({ machine, state, stays, totalMs, medianMs }) => [
      machine === 'mode' ? `mode ${state}` : state,
      String(stays),
      formatDuration(totalMs),
      formatDuration(medianMs),
    ]),
  );
}

function formatTransitionTable({ transitions }: AggregateStats): readonly string[] {
  return formatStatsTable(
    'Mode transitions',
    ['transition', 'count', 'median', 'answered'],
    transitions.map(({ from, to, count, medianMs, endedWell }) => [
      `${from} → ${to}`,
      String(count),
      formatDuration(medianMs),
      formatShare(endedWell),
    ]),
  );
}

function formatLoopTable({ loops }: AggregateStats): readonly string[] {
  return formatStatsTable(
    'Loops and their cost, from the first repetition on',
    ['rule', 'verdicts', 'stopped', 'loops', 'steps', 'tokens'],
    loops.map(({ rule, ...counts }) => [
      rule,
      ...[counts.verdicts, counts.ended, counts.loops, counts.steps, counts.tokens].map(formatGroupedNumber),
    ]),
  );
}

function formatSavedWork({ stoppedTurns, refusedCalls, tokensPerLoopStep }: SavedWork): readonly string[] {
  if (stoppedTurns === 0 && refusedCalls === 0) return [];
  const each =
    tokensPerLoopStep === null ? '' : `; ${formatGroupedNumber(tokensPerLoopStep)} tokens per step in a loop`;
  return [
    '',
    'Saved',
    `  ${formatCount(stoppedTurns, 'turn')} stopped, ${formatCount(refusedCalls, 'call')} blocked${each}.`,
    '  The tokens saved by a stop cannot be measured.',
  ];
}

function formatGroupTable(title: string, name: string, groups: readonly GroupStats[]): readonly string[] {
  return formatStatsTable(
    title,
    [name, 'sessions', 'answered', 'stuck', 'steps', 'efficient', 'tool calls', 'tokens', 'cost'],
    groups.map((group) => [
      group.name,
      ...[group.sessions, group.answered, group.stuck, group.steps].map(formatGroupedNumber),
      formatShare(group.share),
      formatGroupedNumber(group.toolCalls),
      formatGroupedNumber(group.inputTokens + group.outputTokens),
      group.cost === null ? '-' : group.cost.toFixed(4),
    ]),
  );
}

function formatToolTable({ byTool }: AggregateStats): readonly string[] {
  return formatStatsTable(
    'By tool',
    ['tool', 'calls', 'failed', 'repeated', 'total', 'median'],
    byTool.map(({ tool, calls, failed, repeated, totalMs, medianMs }) => [
      tool,
      ...[calls, failed, repeated].map(formatGroupedNumber),
      formatDuration(totalMs),
      formatDuration(medianMs),
    ]),
  );
}

function formatAccuracyTable({ accuracy }: AggregateStats): readonly string[] {
  const rows = accuracy.map(({ rule, verdicts, right, wrong, share }) => [
    rule,
    ...[verdicts, right, wrong].map(formatGroupedNumber),
    share === null ? 'not marked' : formatShare(share),
  ]);
  return formatStatsTable('Verdict accuracy', ['rule', 'verdicts', 'right', 'wrong', 'accuracy'], rows);
}

function formatStatsTable(
  title: string,
  head: readonly string[],
  rows: TextTable['rows'],
): readonly string[] {
  return formatTextTable({ title, head, rows }, maxStatsRows);
}

const maxStatsRows = 40;
