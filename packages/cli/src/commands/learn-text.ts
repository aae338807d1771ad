import type { Learnt, Proposal } from '../learn/learn.ts';
import type { Need } from '../learn/needs.ts';
import type { Pattern } from '../learn/patterns.ts';
import { percentOf } from '../learn/score.ts';
import { measures, type Weight } from '../learn/weigh.ts';
import { isEarlier, type LearnReport } from './learn-json.ts';
import { tableLines, type TextTable } from './text-table.ts';
import { cell, fit } from './columns.ts';
import { counted, grouped } from './number-text.ts';

/** What was learnt, for people. */
export function learnLines({ learnt, patterns, needs }: LearnReport, width: number): readonly string[] {
  return [
    ...dataLines(learnt),
    ...patternTable(patterns),
    ...needTable('Steps that solved runs took', 'source', needs.bySource),
    ...needTable('Calls of each tool in solved runs that use it', 'tool', needs.byTool),
    ...needTable('Steps in each mode in solved runs', 'mode', needs.byMode),
    ...thresholdLines(learnt),
  ].map((line) => fit(line, Math.max(width, 100)));
}

function dataLines({ data }: Learnt): readonly string[] {
  const { runs, solved, unsolved, sources } = data;
  const unknown = runs - solved - unsolved;
  const rest = unknown === 0 ? '' : `, ${grouped(unknown)} with unknown outcome`;
  return [
    `${counted(runs, 'run')} of ${counted(sources, 'source')}: ${grouped(solved)} solved, ${grouped(unsolved)} not${rest}`,
  ];
}

function patternTable(patterns: readonly Pattern[]): readonly string[] {
  return table(
    'Steps in a row that come before a failure, against runs of the same source that came as far',
    ['steps', 'runs', 'failed', 'expected', 'lift', 'sources', 'steps left'],
    patterns.map(({ words, runs, failed, expected, lift, sources, stepsLeft }) => [
      words.join(' → '),
      ...[runs, failed].map(grouped),
      expected.toFixed(1),
      lift.toFixed(2),
      ...[sources, stepsLeft].map(grouped),
    ]),
  );
}

function needTable(title: string, name: string, needs: readonly Need[]): readonly string[] {
  return table(
    title,
    [name, 'solved', 'half', '90 %', 'all', 'failed', 'half of them'],
    needs.map(({ name: text, runs, half, most, all, failedRuns, failedHalf }) => [
      text,
      ...[runs, half, most, all, failedRuns].map(grouped),
      failedHalf === null ? '-' : grouped(failedHalf),
    ]),
  );
}

function thresholdLines(learnt: Learnt): readonly string[] {
  const { outcome, proposal } = learnt;
  return [
    '',
    ...outcomeLines(learnt),
    ...(proposal === null ? [] : proposalLines(proposal, learnt)),
    ...scoreLines(learnt),
    ...(outcome.kind === 'proposed' && proposal !== null ? changedLines(proposal) : []),
  ];
}

function outcomeLines({ outcome, data }: Learnt): readonly string[] {
  switch (outcome.kind) {
    case 'proposed':
      return ['Other thresholds do better, also on runs that they were not chosen on:'];
    case 'nothing':
      return [
        'No other thresholds do better and hold on runs that they were not chosen on. They stay as they are.',
      ];
    case 'not-held':
      return [
        `What was chosen did not hold on runs that it was not chosen on: worse in ${outcome.worse.join(', ')}. The thresholds stay as they are.`,
      ];
    case 'too-little':
      return [
        'Too few runs to learn thresholds from. They stay as they are.',
        `  solved    ${cell(grouped(data.solved), 7, 'right')} of ${grouped(data.solvedNeeded)} that it takes to show that fewer than one in fifty would be ended`,
        `  unsolved  ${cell(grouped(data.unsolved), 7, 'right')} of ${grouped(data.unsolvedNeeded)} that it takes to see what would be saved`,
      ];
    default:
      return outcome satisfies never;
  }
}

function proposalLines({ changes }: Proposal, { crossValidation }: Learnt): readonly string[] {
  const folds = crossValidation?.folds.length ?? 0;
  const lines = table(
    'Thresholds',
    ['rule', 'level', 'is', 'better', 'solved so far', 'unsolved so far', 'near misses', 'chosen'],
    changes.map(({ rule, level, from, to, reached, nearMisses, chosenIn }) => [
      rule,
      level,
      ...[from, to, reached.solved, reached.unsolved].map(grouped),
      `${grouped(nearMisses.runs)} of ${counted(nearMisses.sources, 'source')}`,
      `${chosenIn} of ${folds}`,
    ]),
  );
  const silent = changes.filter(({ isUnannounced }) => isUnannounced).map(({ rule }) => rule);
  return [
    ...lines.slice(2),
    ...(silent.length === 0
      ? []
      : [`  ${silent.join(', ')}: the end then comes without a word of advice before it.`]),
  ];
}

function scoreLines({ inForce, proposal, crossValidation }: Learnt): readonly string[] {
  const here = table(
    'On all runs, in per cent',
    ['', ...measures],
    [row('as it is', inForce), ...(proposal === null ? [] : [row('as proposed', proposal.weight)])],
  );
  if (crossValidation === null) return here;
  const { folds, by, ...sums } = crossValidation;
  const rows = [...folds, { name: 'all of these', ...sums }].flatMap((fold) => [
    row(fold.name, fold.learnt),
    row('  as it is', fold.inForce),
  ]);
  const held = table(
    by === 'source'
      ? 'Held out: chosen on all other sources, tried on this one'
      : 'Held out: chosen on all other parts, tried on this one (too few sources to hold one out: this says nothing of others)',
    ['', ...measures],
    rows,
  );
  const { harm } = sums.learnt.shares;
  const bound =
    proposal === null
      ? []
      : [
          `  harm: ${harm.hits} of ${grouped(harm.of)}; in truth up to ${(100 * proposal.harmBound).toFixed(2)} %, at 95 %`,
        ];
  return [...here, ...held, ...bound];
}

function row(name: string, { shares }: Weight): readonly string[] {
  return [name, ...measures.map((measure) => percentOf(shares[measure])?.toFixed(1) ?? '-')];
}

function changedLines({ changed }: Proposal): readonly string[] {
  const earlier = changed.filter(isEarlier);
  const steps = earlier.reduce((sum, each) => sum + each.steps, 0);
  const rows = table(
    'Past runs that would have ended elsewhere',
    ['run', 'outcome', 'ended after', 'would end after', 'steps'],
    changed.map(({ run, success, was, is, steps: between }) => [
      run,
      success === null ? 'unknown' : success ? 'solved' : 'failed',
      was === null ? 'never' : grouped(was),
      is === null ? 'never' : grouped(is),
      grouped(between),
    ]),
  );
  return [
    ...rows,
    `  ${counted(earlier.length, 'run')} earlier, for ${counted(steps, 'step')}; ${grouped(changed.length - earlier.length)} later`,
  ];
}

function table(title: string, head: readonly string[], rows: TextTable['rows']): readonly string[] {
  return tableLines({ title, head, rows }, rowsMax);
}

const rowsMax = 20;
