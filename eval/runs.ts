import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RecordedRun } from '@pawl/core';

/** A run that a person read and judged. */
export type Judgement = { readonly id: string; readonly stuck: boolean; readonly from_step?: number | null };

export type Data = { readonly runs: readonly RecordedRun[]; readonly judged: ReadonlyMap<string, Judgement> };

/** What was read, and a line for everything that could not be. */
export type ReadData = Data & { readonly problems: readonly string[] };

/** Reads every `.jsonl` and `.jsonl.gz` file of a folder, and its `judged.json` if there is one. */
export function readData(folder: string): ReadData {
  const names = namesIn(folder);
  const files = names.filter((name) => /\.jsonl(?:\.gz)?$/.test(name));
  if (files.length === 0)
    throw new Error(`There are no runs in ${folder}: no file ends in .jsonl or .jsonl.gz.`);
  const read = files.flatMap((name) => readRuns(join(folder, name)));
  return {
    runs: read.filter((each) => typeof each !== 'string'),
    judged: names.includes('judged.json') ? readJudgements(join(folder, 'judged.json')) : new Map(),
    problems: read.filter((each) => typeof each === 'string'),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    throw new Error(`${folder} is no folder that can be read. Name one with runs in it: --data DIR.`, {
      cause: error,
    });
  }
}

function readJudgements(path: string): ReadonlyMap<string, Judgement> {
  const judged = parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(judged) || !judged.every(isJudgement)) {
    throw new Error(
      `${path} is no list of judgements: expected [{ "id": "…", "stuck": true, "from_step": 3 }, …].`,
    );
  }
  return new Map(judged.map((each) => [each.id, each]));
}

function isJudgement(value: unknown): value is Judgement {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['stuck'] === 'boolean';
}

export function sourceOf(run: RecordedRun): string {
  return run.source ?? 'unnamed';
}

/** Every source that there are runs of. */
export function sourcesOf({ runs }: Data): readonly string[] {
  return [...new Set(runs.map(sourceOf))];
}

/** The runs that are wanted, with all judgements. */
export function only(data: Data, isWanted: (run: RecordedRun) => boolean): Data {
  return { ...data, runs: data.runs.filter(isWanted) };
}

/** Each line as a run, or as what is wrong with it. */
function readRuns(path: string): readonly (RecordedRun | string)[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const run = parse(line);
    return [isRun(run) ? run : `${path}:${index + 1} is no recorded run and is left out.`];
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRun(value: unknown): value is RecordedRun {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['steps']) &&
    value['steps'].every(isStep)
  );
}

function isStep(step: unknown): boolean {
  return isObject(step) && typeof step['i'] === 'number' && typeof step['role'] === 'string';
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
