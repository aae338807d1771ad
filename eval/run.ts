import { parseArgs } from 'node:util';
import { loadPeerDetectors, createPresetDetectors } from './detectors.ts';
import { scoreHeldOutSources } from './leave-one-out.ts';
import { formatHeldOutScores, formatScoreTable, type ScoreTable } from './print.ts';
import { filterRuns, readEvaluationData, getRunSource, listRunSources, type EvaluationData } from './runs.ts';
import { scoreDetector, type StuckDetector } from './score.ts';

const help = `Replays recorded runs through the governor and scores how well it detects stuck runs.

  npm run eval -- --data DIR [--preset NAMES] [--peers FILE.mjs] [--leave-one-out] [--json]

  --data DIR        folder of normalized runs (.jsonl or .jsonl.gz), with an optional judged.json
  --preset NAMES    presets to score: pawl (default), nexora, nexora-lenient, savant; separate several with commas,
                    or repeat the option
  --peers FILE      module that exports \`peers\`: { name, create() → { push(step) → { level } | null } }[]
  --leave-one-out   for each source, fit the thresholds of pawl on all others and score on it
  --json            print JSON`;

const options = {
  data: { type: 'string' },
  preset: { type: 'string', multiple: true },
  peers: { type: 'string' },
  'leave-one-out': { type: 'boolean' },
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
  const held = values['leave-one-out'] === true ? scoreHeldOutSources(data) : [];
  if (values.json === true) console.log(JSON.stringify({ tables, leaveOneOut: held }, null, 2));
  else {
    const lines = [
      ...tables.flatMap(formatScoreTable),
      ...(held.length === 0 ? [] : formatHeldOutScores(held)),
    ];
    console.log(lines.join('\n'));
  }
  return 0;
}

function buildScoreTables(data: EvaluationData, detectors: readonly StuckDetector[]): readonly ScoreTable[] {
  const bySource = listRunSources(data).map((title) => ({
    title,
    part: filterRuns(data, (run) => getRunSource(run) === title),
  }));
  return [{ title: 'all', part: data }, ...bySource].map(({ title, part }) => ({
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
