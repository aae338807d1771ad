import { parseArgs } from 'node:util';
import { peersOf, presetsOf } from './detectors.ts';
import { leaveOneOut } from './leave-one-out.ts';
import { heldOutLines, tableLines, type Table } from './print.ts';
import { only, readData, sourceOf, sourcesOf, type Data } from './runs.ts';
import { score, type Detector } from './score.ts';

const help = `Replays recorded runs through the governor and prints how well it tells progress from going in circles.

  npm run eval -- --data DIR [--preset NAMES] [--peers FILE.mjs] [--leave-one-out] [--json]

  --data DIR        a folder of normalized runs (.jsonl or .jsonl.gz), with judged.json if there is one
  --preset NAMES    whose rules to score, side by side: pawl (unless told otherwise), nexora, nexora-lenient, savant;
                    several separated by commas, or the option several times
  --peers FILE      a module that exports \`peers\`: { name, create() → { push(step) → { level } | null } }[]
  --leave-one-out   fit the thresholds of pawl on all sources but one and score on that one, for each source
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
  const detectors = [...presetsOf(values.preset ?? ['pawl']), ...(await peersOf(values.peers))];
  const data = readData(values.data);
  for (const problem of data.problems) console.error(problem);
  const tables = tablesOf(data, detectors);
  const held = values['leave-one-out'] === true ? leaveOneOut(data) : [];
  if (values.json === true) console.log(JSON.stringify({ tables, leaveOneOut: held }, null, 2));
  else {
    const lines = [...tables.flatMap(tableLines), ...(held.length === 0 ? [] : heldOutLines(held))];
    console.log(lines.join('\n'));
  }
  return 0;
}

function tablesOf(data: Data, detectors: readonly Detector[]): readonly Table[] {
  const bySource = sourcesOf(data).map((title) => ({
    title,
    part: only(data, (run) => sourceOf(run) === title),
  }));
  return [{ title: 'all', part: data }, ...bySource].map(({ title, part }) => ({
    title,
    runs: part.runs.length,
    rows: detectors.map((detector) => ({ name: detector.name, ...score(part, detector) })),
  }));
}

/** Whatever is wrong with how it was called, or with what it was given, is one line. */
function explain(error: unknown): number {
  console.error((error instanceof Error ? error.message : String(error)).split('\n', 1)[0]);
  return 2;
}

if (import.meta.main) process.exitCode = await main().catch(explain);
