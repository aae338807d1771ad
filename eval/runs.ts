import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RecordedRun } from '@pawl/core';

/** A run that a person read and judged. */
export type Judgement = { readonly id: string; readonly stuck: boolean; readonly from_step?: number | null };

export type Data = { readonly runs: readonly RecordedRun[]; readonly judged: ReadonlyMap<string, Judgement> };

/** Reads every `.jsonl` and `.jsonl.gz` file of a folder, and its `judged.json` if there is one. */
export function readData(folder: string): Data {
  const names = readdirSync(folder).toSorted();
  const runs = names
    .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
    .flatMap((name) => readRuns(join(folder, name)));
  const judged = names.includes('judged.json')
    ? (JSON.parse(readFileSync(join(folder, 'judged.json'), 'utf8')) as Judgement[])
    : [];
  return { runs, judged: new Map(judged.map((each) => [each.id, each])) };
}

export function sourceOf(run: RecordedRun): string {
  return run.source ?? 'unnamed';
}

/** Every source there is runs of. */
export function sourcesOf({ runs }: Data): readonly string[] {
  return [...new Set(runs.map(sourceOf))];
}

/** The runs of which this holds, with all judgements. */
export function only(data: Data, isWanted: (run: RecordedRun) => boolean): Data {
  return { ...data, runs: data.runs.filter(isWanted) };
}

function readRuns(path: string): readonly RecordedRun[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => parse(line, `${path}:${index + 1}`));
}

function parse(line: string, where: string): RecordedRun {
  try {
    return JSON.parse(line) as RecordedRun;
  } catch (error) {
    throw new Error(`${where} is not JSON.`, { cause: error });
  }
}
