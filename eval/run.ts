import { parseArgs } from 'node:util';
import { loadPeerDetectors, createPresetDetectors } from './detectors.ts';
import {
  measureRulePayoffs,
  scoreHeldOutFamilies,
  type LeaveOneFamilyOut,
  type RulePayoff,
} from './leave-one-out.ts';
import { formatLeaveOneFamilyOut, formatRulePayoffs, formatScoreTable, type ScoreTable } from './print.ts';
import {
  filterRuns,
  getRunFamily,
  listRunFamilies,
  readEvaluationData,
  type EvaluationData,
} from './runs.ts';
import { scoreDetector, type StuckDetector } from './score.ts';

const help = `Replays recorded runs through the governor and scores how well it detects stuck runs.

  npm run eval -- --data DIR [--preset NAMES] [--peers FILE.mjs] [--leave-one-out] [--gate] [--json]

  --data DIR        folder of normalized runs (.jsonl or .jsonl.gz), with an optional judged.json
  --preset NAMES    presets to score: pawl (default), nexora, nexora-lenient, savant; separate several with commas,
                    or repeat the option
  --peers FILE      module that exports \`peers\`: { name, create() → { push(step) → { level } | null } }[]
  --leave-one-out   for each family of runs (an agent on a benchmark), fit the thresholds of pawl on all others and
                    score on it
  --gate            exit with 1 if a rule of pawl pays off in fewer than two of the families in which it has verdicts:
                    if its verdicts are not more frequent in failing runs than in others
  --json            print JSON

In percent, with 95 % intervals below the scores of all runs:
  harm    solved runs that would have been ended before their last step
  net     those of them in which work was still to come
  noise   solved runs with any verdict
  caught  unsolved runs that would have been ended
  saved   steps of unsolved runs after the end
  told    runs judged stuck with a verdict in time
  wrong   runs judged not stuck that would have been ended`;

const options = {
  data: { type: 'string' },
  preset: { type: 'string', multiple: true },
  peers: { type: 'string' },
  'leave-one-out': { type: 'boolean' },
  gate: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help === true || values.data === undefined) {
    (values.help === true ? console.log : console.error)(help);
    return values.help === true ? 0 : 2;
  }
  const detectors = [
    ...createPresetDetectors(values.preset ?? ['pawl']),
    ...(await loadPeerDetectors(values.peers)),
  ];
  const data = readEvaluationData(values.data);
  for (const problem of data.problems) console.error(problem);
  const tables = buildScoreTables(data, detectors);
  const leaveOneOut = values['leave-one-out'] === true ? scoreHeldOutFamilies(data) : null;
  const payoffs = values.gate === true ? measureRulePayoffs(data) : null;
  const report = { tables, leaveOneOut, payoffs };
  console.log(values.json === true ? JSON.stringify(report, null, 2) : formatReport(report).join('\n'));
  return payoffs === null ? 0 : judgePayoffs(payoffs);
}

type EvaluationReport = {
  readonly tables: readonly ScoreTable[];
  readonly leaveOneOut: LeaveOneFamilyOut | null;
  readonly payoffs: readonly RulePayoff[] | null;
};

function formatReport({ tables, leaveOneOut, payoffs }: EvaluationReport): readonly string[] {
  return [
    ...tables.flatMap((table, index) => formatScoreTable(table, index === 0)),
    ...(leaveOneOut === null ? [] : formatLeaveOneFamilyOut(leaveOneOut)),
    ...(payoffs === null ? [] : formatRulePayoffs(payoffs)),
  ];
}

/** A rule that pays off in one family may be fitted to it. One without verdicts cannot be judged by these runs. */
function judgePayoffs(payoffs: readonly RulePayoff[]): number {
  const narrow = payoffs.filter(
    ({ verdictFamilies, families }) => verdictFamilies > 0 && families.length < 2,
  );
  for (const { rule, families } of narrow)
    console.error(
      `The rule ${rule} pays off in ${families.length === 0 ? 'no family' : `${families.join()} only`}.`,
    );
  return narrow.length === 0 ? 0 : 1;
}

function buildScoreTables(data: EvaluationData, detectors: readonly StuckDetector[]): readonly ScoreTable[] {
  const byFamily = listRunFamilies(data).map((title) => ({
    title,
    part: filterRuns(data, (run) => getRunFamily(run) === title),
  }));
  return [{ title: 'all', part: data }, ...byFamily].map(({ title, part }) => ({
    title,
    runs: part.runs.length,
    rows: detectors.map((detector) => ({ name: detector.name, ...scoreDetector(part, detector) })),
  }));
}

/** Prints usage and input errors as a single line. */
function printErrorLine(error: unknown): number {
  console.error((error instanceof Error ? error.message : String(error)).split('\n', 1)[0]);
  return 2;
}

if (import.meta.main) process.exitCode = await main().catch(printErrorLine);
