import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RecordedRun } from '@pawl/governor/traces';

/** A run that a person has read and labeled. */
export type RunJudgment = {
  readonly id: string;
  readonly stuck: boolean;
  readonly from_step?: number | null;
};

export type EvaluationData = {
  readonly runs: readonly RecordedRun[];
  readonly judged: ReadonlyMap<string, RunJudgment>;
};

/** The parsed data, and one message per item that could not be read. */
export type ReadEvaluationData = EvaluationData & { readonly problems: readonly string[] };

/** Reads every `.jsonl` and `.jsonl.gz` file of a folder, and its `judged.json` if there is one. */
export function readEvaluationData(folder: string): ReadEvaluationData {
  const names = listFolderNames(folder);
  const files = names.filter((name) => /\.jsonl(?:\.gz)?$/.test(name));
  if (files.length === 0)
    throw new Error(`There are no runs in ${folder}: no file ends in .jsonl or .jsonl.gz.`);
  const parsed = files.flatMap((name) => readRunFile(join(folder, name)));
  return {
    runs: parsed.filter((each) => typeof each !== 'string'),
    judged: names.includes('judged.json') ? readJudgments(join(folder, 'judged.json')) : new Map(),
    problems: parsed.filter((each) => typeof each === 'string'),
  };
}

function listFolderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be read. Name a folder with runs: --data DIR.`, {
      cause: error,
    });
  }
}

function readJudgments(path: string): ReadonlyMap<string, RunJudgment> {
  const judged = parseJsonLine(readFileSync(path, 'utf8'));
  if (!Array.isArray(judged) || !judged.every(isRunJudgment)) {
    throw new Error(
      `${path} is not a list of judgments: expected [{ "id": "…", "stuck": true, "from_step": 3 }, …].`,
    );
  }
  return new Map(judged.map((each) => [each.id, each]));
}

function isRunJudgment(value: unknown): value is RunJudgment {
  return isJsonRecord(value) && typeof value['id'] === 'string' && typeof value['stuck'] === 'boolean';
}

/** The family of a run: its agent and its benchmark, which `source` names together. Runs of one family are similar. */
export function getRunFamily(run: RecordedRun): string {
  return run.source ?? 'unnamed';
}

export function listRunFamilies({ runs }: EvaluationData): readonly string[] {
  return [...new Set(runs.map(getRunFamily))];
}

/** Filters the runs and keeps all labels. */
export function filterRuns(data: EvaluationData, isWanted: (run: RecordedRun) => boolean): EvaluationData {
  return { ...data, runs: data.runs.filter(isWanted) };
}

/** Parses each line to a run or to an error message. */
function readRunFile(path: string): readonly (RecordedRun | string)[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const run = parseJsonLine(line);
    return [isRecordedRun(run) ? run : `${path}:${index + 1} is not a recorded run and is skipped.`];
  });
}

function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRecordedRun(value: unknown): value is RecordedRun {
  return (
    isJsonRecord(value) &&
    typeof value['id'] === 'string' &&
    Array.isArray(value['steps']) &&
    value['steps'].every(isRecordedStep)
  );
}

function isRecordedStep(step: unknown): boolean {
  return isJsonRecord(step) && typeof step['i'] === 'number' && typeof step['role'] === 'string';
}

function isJsonRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
