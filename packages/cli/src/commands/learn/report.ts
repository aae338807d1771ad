import type { CrossValidation } from './choose-thresholds.ts';
import type { ChangedRun, LearningResult, SourceHarm, ThresholdProposal } from './learn-thresholds.ts';
import type { StepRequirements, StepRequirement } from './step-requirements.ts';
import type { FailurePattern } from './failure-patterns.ts';
import { type ThresholdScore, learningMeasures } from './threshold-score.ts';
import { toPercent } from './detector-score.ts';
import { formatTextTable, type TextTable, formatCell, truncateColumns } from '../../output/columns.ts';
import { formatCount, formatGroupedNumber } from '../../output/format-number.ts';

export type LearnReport = {
  readonly result: LearningResult;
  readonly patterns: readonly FailurePattern[];
  readonly needs: StepRequirements;
};

/** Maximum number of runs listed individually; the rest are counted. */
const maxChangedRuns = 1_000;

/** Converts the learning result to plain JSON. */
export function toLearnJson({ result, patterns, needs }: LearnReport, written: string | null): object {
  const { data, outcome, inForce, proposal, crossValidation } = result;
  return {
    type: 'learn',
    outcome: outcome.kind,
    worse: outcome.kind === 'not-held' ? outcome.worse : [],
    data,
    patterns,
    needs,
    inForce: inForce.shares,
    proposal: proposal === null ? null : toProposalJson(proposal),
    heldOut: crossValidation === null ? null : toHeldOutJson(crossValidation),
    written,
  };
}

function toProposalJson({ changes, score, harmBound, harmBySource, changed }: ThresholdProposal): object {
  return {
    changes,
    shares: score.shares,
    harmBound,
    harmBySource,
    earlier: changed.filter(isEndedEarlier).length,
    later: changed.filter((run) => !isEndedEarlier(run)).length,
    runs: changed.slice(0, maxChangedRuns),
  };
}

function isEndedEarlier({ was, is }: ChangedRun): boolean {
  return is !== null && (was === null || is < was);
}

function toHeldOutJson({ by, folds, ...sums }: CrossValidation): object {
  return {
    by,
    folds: folds.map(({ name, runs, chosen, ...weights }) => ({
      name,
      runs,
      // Rule names are our own, so none can collide with a property of Object.prototype.
      chosen: Object.fromEntries(chosen),
      ...toSharesJson(weights),
    })),
    ...toSharesJson(sums),
  };
}

function toSharesJson({
  inForce,
  learnt,
}: {
  readonly inForce: ThresholdScore;
  readonly learnt: ThresholdScore;
}): object {
  return { inForce: inForce.shares, learnt: learnt.shares };
}

/** Formats the learning result for people. */
export function formatLearnReport(
  { result, patterns, needs }: LearnReport,
  width: number,
): readonly string[] {
  return [
    ...formatLearnData(result),
    ...formatPatternTable(patterns),
    ...formatRequirementTable('Steps in solved runs', 'source', needs.bySource),
    ...formatRequirementTable('Calls per tool in solved runs that use it', 'tool', needs.byTool),
    ...formatRequirementTable('Steps per mode in solved runs', 'mode', needs.byMode),
    ...formatThresholds(result),
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
    'Step sequences that precede a failure, compared with runs of the same source that got as far',
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
    [name, 'solved', 'median', '90 %', 'max', 'failed', 'median failed'],
    needs.map(({ name: text, runs, half, most, all, failedRuns, failedHalf }) => [
      text,
      ...[runs, half, most, all, failedRuns].map(formatGroupedNumber),
      failedHalf === null ? '-' : formatGroupedNumber(failedHalf),
    ]),
  );
}

function formatThresholds(result: LearningResult): readonly string[] {
  const { outcome, proposal } = result;
  return [
    '',
    ...formatLearnOutcome(result),
    ...(proposal === null ? [] : formatProposal(proposal, result)),
    ...formatLearnScores(result),
    ...(outcome.kind === 'proposed' && proposal !== null ? formatChangedRuns(proposal) : []),
  ];
}

function formatLearnOutcome({ outcome, data }: LearningResult): readonly string[] {
  switch (outcome.kind) {
    case 'proposed':
      return ['Other thresholds do better, also on held-out runs:'];
    case 'nothing':
      return ['No other thresholds do better on held-out runs. The thresholds stay unchanged.'];
    case 'not-held':
      return [
        `The selected thresholds did worse on held-out runs: ${outcome.worse.join(', ')}. The thresholds stay unchanged.`,
      ];
    case 'too-little':
      return [
        'Too few runs to learn thresholds. The thresholds stay unchanged.',
        `  solved    ${formatCell(formatGroupedNumber(data.solved), 7, 'right')} of ${formatGroupedNumber(data.solvedNeeded)} needed to show that fewer than 2 % would be stopped`,
        `  unsolved  ${formatCell(formatGroupedNumber(data.unsolved), 7, 'right')} of ${formatGroupedNumber(data.unsolvedNeeded)} needed to estimate the savings`,
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
    [
      'rule',
      'severity',
      'current',
      'proposed',
      'solved reaching',
      'unsolved reaching',
      'near misses',
      'selected',
    ],
    changes.map(({ rule, severity, from, to, reached, nearMisses, chosenIn }) => [
      rule,
      severity,
      ...[from, to, reached.solved, reached.unsolved].map(formatGroupedNumber),
      `${formatGroupedNumber(nearMisses.runs)} of ${formatCount(nearMisses.sources, 'source')}`,
      `${chosenIn} of ${folds}`,
    ]),
  );
  const unannounced = changes.filter(({ isUnannounced }) => isUnannounced).map(({ rule }) => rule);
  return [
    ...lines.slice(2),
    ...(unannounced.length === 0 ? [] : [`  ${unannounced.join(', ')}: stops the run without prior advice.`]),
  ];
}

function formatLearnScores({ inForce, proposal, crossValidation }: LearningResult): readonly string[] {
  const scores = formatLearnTable(
    'On all runs, in percent',
    ['', ...learningMeasures],
    [
      toScoreCells('current', inForce),
      ...(proposal === null ? [] : [toScoreCells('proposed', proposal.score)]),
    ],
  );
  if (crossValidation === null) return scores;
  const { folds, by, ...sums } = crossValidation;
  const rows = [...folds, { name: 'total', ...sums }].flatMap((fold) => [
    toScoreCells(fold.name, fold.learnt),
    toScoreCells('  current', fold.inForce),
  ]);
  const heldOutScores = formatLearnTable(
    by === 'source'
      ? 'Held out: selected on all other sources, tested on this one'
      : 'Held out: selected on all other parts, tested on this one (too few sources to hold one out, so other sources may differ)',
    ['', ...learningMeasures],
    rows,
  );
  const { harm } = sums.learnt.shares;
  const bound =
    proposal === null
      ? []
      : [
          `  harm: ${harm.hits} of ${formatGroupedNumber(harm.of)}; upper bound ${formatBound(proposal.harmBound)} at 95 % confidence`,
          ...formatBoundScope(proposal.harmBySource),
        ];
  return [...scores, ...heldOutScores, ...bound];
}

/** States for which runs the bound holds. */
function formatBoundScope(sources: readonly SourceHarm[]): readonly string[] {
  const [worst] = sources;
  if (worst === undefined) return [];
  const names = sources.map(({ source }) => source).toSorted();
  const shown = names.slice(0, maxNamedSources).join(', ');
  const more = names.length - maxNamedSources;
  const single = sources.length === 1 ? '' : `; up to ${formatBound(worst.bound)} for ${worst.source} alone`;
  return [
    `  The bound holds for runs like those of ${shown}${more > 0 ? ` and ${more} more` : ''}${single}.`,
    '  Other agents and tasks may be harmed more.',
  ];
}

const maxNamedSources = 8;

function formatBound(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function toScoreCells(name: string, { shares }: ThresholdScore): readonly string[] {
  return [name, ...learningMeasures.map((measure) => toPercent(shares[measure])?.toFixed(1) ?? '-')];
}

function formatChangedRuns({ changed }: ThresholdProposal): readonly string[] {
  const earlier = changed.filter(isEndedEarlier);
  const steps = earlier.reduce((sum, each) => sum + each.steps, 0);
  const rows = formatLearnTable(
    'Past runs that would have ended at another step',
    ['run', 'outcome', 'ended after', 'would end after', 'steps'],
    changed.map(({ run, success, was, is, steps: stepsBetween }) => [
      run,
      success === null ? 'unknown' : success ? 'solved' : 'failed',
      was === null ? 'never' : formatGroupedNumber(was),
      is === null ? 'never' : formatGroupedNumber(is),
      formatGroupedNumber(stepsBetween),
    ]),
  );
  return [
    ...rows,
    `  ${formatCount(earlier.length, 'run')} earlier, saving ${formatCount(steps, 'step')}; ${formatGroupedNumber(changed.length - earlier.length)} later`,
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
