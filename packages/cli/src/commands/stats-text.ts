import { statusText } from './show-ending.ts';
import { duration } from './show-time.ts';
import type { GroupStats, Saved, Stats } from './stats-sum.ts';
import { tableLines, type TextTable } from './text-table.ts';
import { fit } from './columns.ts';
import { counted, grouped, percent } from './number-text.ts';

/** The numbers as tables. */
export function statsLines(stats: Stats, width: number): readonly string[] {
  const { sessions, efficiency } = stats;
  if (sessions.counted === 0 && sessions.damaged === 0) return ['There are no sessions to count.'];
  const damaged = sessions.damaged === 0 ? '' : `, ${sessions.damaged} more cannot be read`;
  const states = sessions.byState.map(({ name, count }) => `${count} ${statusText(name)}`).join(', ');
  const endings = sessions.byEnding.map(({ name, count }) => `${count} ${name}`).join(', ');
  return [
    `${counted(sessions.counted, 'session')}${damaged}`,
    `  states       ${states}`,
    `  endings      ${endings}`,
    `  efficiency   ${percent(efficiency.share)}: ${efficiency.effective} of ${counted(efficiency.steps, 'step')} brought something new or the answer`,
    ...timeTable(stats),
    ...transitionTable(stats),
    ...loopTable(stats),
    ...savedLines(stats.saved),
    ...groupTable('By profile', 'profile', stats.byProfile),
    ...groupTable('By model', 'model', stats.byModel),
    ...toolTable(stats),
    ...accuracyTable(stats),
  ].map((line) => fit(line, Math.max(width, 100)));
}

function timeTable({ timeByState }: Stats): readonly string[] {
  return table(
    'Time in each state',
    ['state', 'stays', 'in all', 'median'],
    timeByState.map(({ machine, state, stays, totalMs, medianMs }) => [
      machine === 'mode' ? `mode ${state}` : state,
      String(stays),
      duration(totalMs),
      duration(medianMs),
    ]),
  );
}

function transitionTable({ transitions }: Stats): readonly string[] {
  return table(
    'Moves between modes',
    ['move', 'times', 'median', 'ended well'],
    transitions.map(({ from, to, count, medianMs, endedWell }) => [
      `${from} → ${to}`,
      String(count),
      duration(medianMs),
      percent(endedWell),
    ]),
  );
}

function loopTable({ loops }: Stats): readonly string[] {
  return table(
    'Loops, and what they cost from the second time on',
    ['rule', 'verdicts', 'stopped', 'loops', 'steps', 'tokens'],
    loops.map(({ rule, ...counts }) => [
      rule,
      ...[counts.verdicts, counts.ended, counts.loops, counts.steps, counts.tokens].map(grouped),
    ]),
  );
}

function savedLines({ stoppedTurns, refusedCalls, tokensPerLoopStep }: Saved): readonly string[] {
  if (stoppedTurns === 0 && refusedCalls === 0) return [];
  const each =
    tokensPerLoopStep === null ? '' : `; a step in a loop took ${grouped(tokensPerLoopStep)} tokens`;
  return [
    '',
    'Saved',
    `  ${counted(stoppedTurns, 'turn')} stopped, ${counted(refusedCalls, 'call')} not run again${each}.`,
    '  What would have come after a stop, nobody knows: no sum of tokens saved is given.',
  ];
}

function groupTable(title: string, name: string, groups: readonly GroupStats[]): readonly string[] {
  return table(
    title,
    [name, 'sessions', 'answered', 'stuck', 'steps', 'efficient', 'tool calls', 'tokens', 'cost'],
    groups.map((group) => [
      group.name,
      ...[group.sessions, group.answered, group.stuck, group.steps].map(grouped),
      percent(group.share),
      grouped(group.toolCalls),
      grouped(group.inputTokens + group.outputTokens),
      group.cost === null ? '-' : group.cost.toFixed(4),
    ]),
  );
}

function toolTable({ byTool }: Stats): readonly string[] {
  return table(
    'By tool',
    ['tool', 'calls', 'failed', 'repeated', 'in all', 'median'],
    byTool.map(({ tool, calls, failed, repeated, totalMs, medianMs }) => [
      tool,
      ...[calls, failed, repeated].map(grouped),
      duration(totalMs),
      duration(medianMs),
    ]),
  );
}

function accuracyTable({ accuracy }: Stats): readonly string[] {
  const rows = accuracy.map(({ rule, verdicts, right, wrong, share }) => [
    rule,
    ...[verdicts, right, wrong].map(grouped),
    share === null ? 'not marked' : percent(share),
  ]);
  return table('Verdicts, as people marked them', ['rule', 'verdicts', 'right', 'wrong', 'accuracy'], rows);
}

function table(title: string, head: readonly string[], rows: TextTable['rows']): readonly string[] {
  return tableLines({ title, head, rows }, rowsMax);
}

const rowsMax = 40;
