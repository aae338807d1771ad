import type { LearningResult, ThresholdProposal } from '../learn/learn-thresholds.ts';
import type { StepRequirement } from '../learn/step-requirements.ts';
import type { FailurePattern } from '../learn/failure-patterns.ts';
import { toPercent } from '../learn/detector-score.ts';
import { learningMeasures, type ThresholdScore } from '../learn/threshold-score.ts';
import { isEndedEarlier, type LearnReport } from './learn-json.ts';
import { formatTextTable, type TextTable } from './text-table.ts';
import { formatCell, truncateColumns } from './columns.ts';
import { formatCount, formatGroupedNumber } from './format-number.ts';

/** Formats the learning result for people. */
export function formatLearnReport(
  { learnt, patterns, needs }: LearnReport,
  width: number,
): readonly string[] {
  return [
    ...formatLearnData(learnt),
    ...formatPatternTable(patterns),
    ...formatRequirementTable('Steps that solved runs took', 'source', needs.bySource),
    ...formatRequirementTable('Calls of each tool in solved runs that use it', 'tool', needs.byTool),
    ...formatRequirementTable('Steps in each mode in solved runs', 'mode', needs.byMode),
    ...formatThresholds(learnt),
  ].map((line) => truncateColumns(line, Math.max(width, 100)));
}

function formatLearnData({ data }: LearningResult): readonly string[] {
  const { runs, solved, unsolved, sources } = data;
  const unknown = runs - solved - unsolved;
  const rest = unknown === 0 ? '' : `, ${formatGroupedNumber(unknown)} with unknown outcome`;
  return [
    `${formatCount(runs, 'run')} of ${formatCount(sources, 'source')}: ${formatGroupedNumber(solved)} solved, ${formatGroupedNumber(unsolved)} not${rest}`,
  ];
}

function formatPatternTable(patterns: readonly FailurePattern[]): readonly string[] {
  return formatLearnTable(
    'Steps in a row that come before a failure, against runs of the same source that came as far',
    ['steps', 'runs', 'failed', 'expected', 'lift', 'sources', 'steps left'],
    patterns.map(({ words, runs, failed, expected, lift, sources, stepsLeft }) => [
      words.join(' → '),
      ...[runs, failed].map(formatGroupedNumber),
      expected.toFixed(1),
      lift.toFixed(2),
      ...[sources, stepsLeft].map(formatGroupedNumber),
    ]),
  );
}

function formatRequirementTable(
  title: string,
  name: string,
  needs: readonly StepRequirement[],
): readonly string[] {
  return formatLearnTable(
    title,
    [name, 'solved', 'half', '90 %', 'all', 'failed', 'half of them'],
    needs.map(({ name: text, runs, half, most, all, failedRuns, failedHalf }) => [
      text,
      ...[runs, half, most, all, failedRuns].map(formatGroupedNumber),
      failedHalf === null ? '-' : formatGroupedNumber(failedHalf),
    ]),
  );
}

function formatThresholds(learnt: LearningResult): readonly string[] {
  const { outcome, proposal } = learnt;
  return [
    '',
    ...formatLearnOutcome(learnt),
    ...(proposal === null ? [] : formatProposal(proposal, learnt)),
    ...formatLearnScores(learnt),
    ...(outcome.kind === 'proposed' && proposal !== null ? formatChangedRuns(proposal) : []),
  ];
}

function formatLearnOutcome({ outcome, data }: LearningResult): readonly string[] {
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
        `  solved    ${formatCell(formatGroupedNumber(data.solved), 7, 'right')} of ${formatGroupedNumber(data.solvedNeeded)} that it takes to show that fewer than one in fifty would be ended`,
        `  unsolved  ${formatCell(formatGroupedNumber(data.unsolved), 7, 'right')} of ${formatGroupedNumber(data.unsolvedNeeded)} that it takes to see what would be saved`,
      ];
    default:
      return outcome satisfies never;
  }
}

function formatProposal(
  { changes }: ThresholdProposal,
  { crossValidation }: LearningResult,
): readonly string[] {
  const folds = crossValidation?.folds.length ?? 0;
  const lines = formatLearnTable(
    'Thresholds',
    ['rule', 'level', 'is', 'better', 'solved so far', 'unsolved so far', 'near misses', 'chosen'],
    changes.map(({ rule, level, from, to, reached, nearMisses, chosenIn }) => [
      rule,
      level,
      ...[from, to, reached.solved, reached.unsolved].map(formatGroupedNumber),
      `${formatGroupedNumber(nearMisses.runs)} of ${formatCount(nearMisses.sources, 'source')}`,
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

function formatLearnScores({ inForce, proposal, crossValidation }: LearningResult): readonly string[] {
  const here = formatLearnTable(
    'On all runs, in per cent',
    ['', ...learningMeasures],
    [
      toScoreCells('as it is', inForce),
      ...(proposal === null ? [] : [toScoreCells('as proposed', proposal.score)]),
    ],
  );
  if (crossValidation === null) return here;
  const { folds, by, ...sums } = crossValidation;
  const rows = [...folds, { name: 'all of these', ...sums }].flatMap((fold) => [
    toScoreCells(fold.name, fold.learnt),
    toScoreCells('  as it is', fold.inForce),
  ]);
  const held = formatLearnTable(
    by === 'source'
      ? 'Held out: chosen on all other sources, tried on this one'
      : 'Held out: chosen on all other parts, tried on this one (too few sources to hold one out: this says nothing of others)',
    ['', ...learningMeasures],
    rows,
  );
  const { harm } = sums.learnt.shares;
  const bound =
    proposal === null
      ? []
      : [
          `  harm: ${harm.hits} of ${formatGroupedNumber(harm.of)}; in truth up to ${(100 * proposal.harmBound).toFixed(2)} %, at 95 %`,
        ];
  return [...here, ...held, ...bound];
}

function toScoreCells(name: string, { shares }: ThresholdScore): readonly string[] {
  return [name, ...learningMeasures.map((measure) => toPercent(shares[measure])?.toFixed(1) ?? '-')];
}

function formatChangedRuns({ changed }: ThresholdProposal): readonly string[] {
  const earlier = changed.filter(isEndedEarlier);
  const steps = earlier.reduce((sum, each) => sum + each.steps, 0);
  const rows = formatLearnTable(
    'Past runs that would have ended elsewhere',
    ['run', 'outcome', 'ended after', 'would end after', 'steps'],
    changed.map(({ run, success, was, is, steps: between }) => [
      run,
      success === null ? 'unknown' : success ? 'solved' : 'failed',
      was === null ? 'never' : formatGroupedNumber(was),
      is === null ? 'never' : formatGroupedNumber(is),
      formatGroupedNumber(between),
    ]),
  );
  return [
    ...rows,
    `  ${formatCount(earlier.length, 'run')} earlier, for ${formatCount(steps, 'step')}; ${formatGroupedNumber(changed.length - earlier.length)} later`,
  ];
}

function formatLearnTable(
  title: string,
  head: readonly string[],
  rows: TextTable['rows'],
): readonly string[] {
  return formatTextTable({ title, head, rows }, maxLearnRows);
}

const maxLearnRows = 20;
