import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pawlRules, type RecordedRun } from '@pawl/core';
import { governor, leaveOneOut } from './leave-one-out.ts';
import { only, readData, sourceOf, sourcesOf, type Data } from './runs.ts';
import { columns, score, type Detector, type Score, type Told } from './score.ts';

const help = `Replays recorded runs through the governor and prints how well it tells progress from going in circles.

  npm run eval -- --data DIR [--peers FILE.mjs] [--leave-one-out] [--json]

  --data DIR        a folder of normalized runs (.jsonl or .jsonl.gz), with judged.json if there is one
  --peers FILE      a module that exports \`peers\`: { name, create() → { push(step) → { level } | null } }[]
  --leave-one-out   fit the thresholds on all sources but one and score on that one, for each source
  --json            print JSON`;

/** A peer sees one step at a time and is not asked again once it has ended the run. */
type Peer = {
  readonly name: string;
  create(): { push(step: RecordedRun['steps'][number]): { readonly level: string } | null | undefined };
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      peers: { type: 'string' },
      'leave-one-out': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true || values.data === undefined) {
    (values.help === true ? console.log : console.error)(help);
    return values.help === true ? 0 : 2;
  }
  const data = readData(values.data);
  const detectors = [governor('pawl', pawlRules), ...(await peersOf(values.peers))];
  const tables = [{ title: 'all', data }, ...bySource(data)].map(({ title, data: part }) => ({
    title,
    runs: part.runs.length,
    rows: detectors.map((detector) => ({ name: detector.name, ...score(part, detector) })),
  }));
  const held = values['leave-one-out'] === true ? leaveOneOut(data) : [];
  if (values.json === true) console.log(JSON.stringify({ tables, leaveOneOut: held }, null, 2));
  else print(tables, held);
  return 0;
}

async function peersOf(file: string | undefined): Promise<readonly Detector[]> {
  if (file === undefined) return [];
  const { peers } = (await import(pathToFileURL(resolve(file)).href)) as { peers: readonly Peer[] };
  return peers.map((peer) => ({ name: peer.name, verdicts: (run) => replay(peer, run) }));
}

function replay(peer: Peer, run: RecordedRun): readonly Told[] {
  const detector = peer.create();
  const told: Told[] = [];
  for (const step of run.steps) {
    const verdict = detector.push(step);
    if (verdict === null || verdict === undefined || verdict.level === 'observe') continue;
    told.push({ step: step.i, level: verdict.level });
    if (verdict.level === 'ask' || verdict.level === 'stop') break;
  }
  return told;
}

function bySource(data: Data): readonly { readonly title: string; readonly data: Data }[] {
  return sourcesOf(data).map((title) => ({ title, data: only(data, (run) => sourceOf(run) === title) }));
}

function print(
  tables: readonly {
    readonly title: string;
    readonly runs: number;
    readonly rows: readonly (Score & { name: string })[];
  }[],
  held: ReturnType<typeof leaveOneOut>,
): void {
  for (const { title, runs, rows } of tables) {
    console.log(`\n${title}: ${runs} runs`);
    console.log(line('detector', [...columns]));
    for (const row of rows)
      console.log(
        line(
          row.name,
          columns.map((column) => shown(row[column])),
        ),
      );
  }
  if (held.length === 0) return;
  console.log('\nfitted on the other sources, scored on this one (and as shipped)');
  console.log(line('held out', [...columns]));
  for (const { source, fitted, shipped, ends } of held) {
    console.log(
      `${line(
        source,
        columns.map((column) => shown(fitted[column])),
      )}   ends at ${ends}`,
    );
    console.log(
      line(
        '  as shipped',
        columns.map((column) => shown(shipped[column])),
      ),
    );
  }
}

function line(name: string, cells: readonly string[]): string {
  return name.slice(0, 25).padEnd(26) + cells.map((cell) => cell.padStart(7)).join('');
}

function shown(value: number | null): string {
  return value === null ? '-' : value.toFixed(1);
}

if (import.meta.main) process.exitCode = await main();
