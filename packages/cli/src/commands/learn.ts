import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { defaultSettings, findProfile, selectRules, type Rule } from '@pawl/core';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { CommandIo } from '../command-io.ts';
import { computeMinThresholds } from '../learn/tunable-thresholds.ts';
import { learnThresholds, type LearningResult } from '../learn/learn-thresholds.ts';
import { StepRequirementTable } from '../learn/step-requirements.ts';
import { PatternTable } from '../learn/failure-patterns.ts';
import { extractTrainingFacts, type TrainingRun, type TrainingFacts } from '../learn/training-run.ts';
import { tokenizeRun } from '../learn/step-tokens.ts';
import { createProgressLine } from '../progress-line.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import { toLearnJson, type LearnReport } from './learn-json.ts';
import { readLabels } from './learn-labels.ts';
import {
  applyLearnedProfile,
  isLearnedProfile,
  renderLearnedProfile,
  writeLearnedProfile,
} from './learn-profile.ts';
import { readTrainingRuns } from './learn-runs.ts';
import { formatLearnReport } from './learn-text.ts';
import { LineOutput } from './line-output.ts';
import { isFilePath, resolveProfile } from './profile-option.ts';
import { loadConfig } from './run-config.ts';
import type { SessionFlags } from './session-store.ts';
import { getOutputWidth } from './columns.ts';
import { resolveFolder } from '../folder-option.ts';

export type LearnOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  /** A file with the outcomes of runs. */
  readonly labels?: string | undefined;
  /** The profile whose thresholds are in force. */
  readonly profile?: string | undefined;
  readonly write?: string | undefined;
  readonly apply?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Learns from past runs which patterns precede a failure, how many steps success takes, and which thresholds would have
 * done better.
 */
export async function runLearn(
  traces: readonly string[],
  options: LearnOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const { signal } = options;
  const base = await loadActiveRules(options);
  if (isWriteRequested(options)) requireBuiltInProfile(base);
  const labels = options.labels === undefined ? new Map() : await readLabels(options.labels);
  const read = await readTrainingData(readTrainingRuns({ ...options, traces, labels }, io), base.rules);
  if (signal?.aborted === true) return exitCodes.interrupted;
  if (read.facts.length === 0) throw new UsageError(nothingToLearnMessage);
  const learnt = await learnWithProgress(read.facts, base.rules, { signal, io });
  if (learnt === null) return exitCodes.interrupted;
  const report = { learnt, patterns: read.patterns.listPatterns(), needs: read.needs.computeAll() };
  const written = await writeProposal(learnt, options);
  await writeLearnReport(report, written, options, io);
  for (const line of formatLearnRemarks(base, written, options))
    io.stderr.write(`${sanitizeOneLine(line)}\n`);
  return isWriteRequested(options) && written === null ? exitCodes.failed : exitCodes.finished;
}

function isWriteRequested({ write, apply }: LearnOptions): boolean {
  return write !== undefined || apply === true;
}

function formatLearnRemarks(
  { learnt }: ActiveRules,
  written: string | null,
  options: LearnOptions,
): readonly string[] {
  if (written !== null) return [`Wrote ${written}.`];
  const before =
    learnt === null
      ? []
      : [`This is beside the thresholds of pawl; ${learnt}, which was learnt before, still holds.`];
  return [...(isWriteRequested(options) ? ['Nothing was written.'] : []), ...before];
}

const nothingToLearnMessage =
  'There is nothing to learn from: no session of this folder is kept, and no recorded run was named. ' +
  '--all takes the sessions of every folder; pawl learn FOLDER takes recorded runs.';

type ActiveRules = {
  readonly profile: string;
  readonly isBuiltIn: boolean;
  readonly rules: readonly Rule[];
  /** The learned profile in force, if any: its file. */
  readonly learnt: string | null;
};

/**
 * Loads the rules of the folder's profile. A learned profile does not constrain the result: thresholds are learned
 * again from the profile it extends.
 */
async function loadActiveRules({ dir, profile }: LearnOptions): Promise<ActiveRules> {
  const folder = await resolveFolder(dir);
  const given = profile ?? (await loadConfig(folder, {}, null)).config.profile ?? 'pawl';
  const learnt = isFilePath(given) && (await isLearnedProfile(given)) ? given : null;
  const named = learnt === null ? given : 'pawl';
  const { name, settings } = await resolveProfile(named);
  const { governor } = { ...defaultSettings, ...settings };
  const rules = selectRules(governor);
  if (rules.length > 0) {
    return { profile: named, isBuiltIn: findProfile(name) !== undefined, rules, learnt };
  }
  throw new UsageError(
    `Only the thresholds of the governor pawl can be learnt, and the profile ${JSON.stringify(name)} has the governor ${governor.preset}. Name another with --profile.`,
  );
}

/** A learned profile can extend only a built-in profile, because every installation has those. */
function requireBuiltInProfile({ isBuiltIn, profile }: ActiveRules): void {
  if (isBuiltIn) return;
  throw new UsageError(
    `What is written extends a profile that is built in, and ${JSON.stringify(profile)} is your own. Leave out --write and --apply, and put what is learnt under governor.rules in it.`,
  );
}

type TrainingData = {
  readonly facts: readonly TrainingFacts[];
  readonly patterns: PatternTable;
  readonly needs: StepRequirementTable;
};

/** Stores only numbers per run, so that the number of runs is not limited by memory. */
async function readTrainingData(
  runs: AsyncIterable<TrainingRun>,
  rules: readonly Rule[],
): Promise<TrainingData> {
  const counting = { rules, minCounts: computeMinThresholds(rules) };
  const facts: TrainingFacts[] = [];
  const [patterns, needs] = [new PatternTable(), new StepRequirementTable()];
  for await (const learnt of runs) {
    facts.push(extractTrainingFacts(learnt, counting));
    if (learnt.success === null) continue;
    const about = { source: learnt.source, failed: !learnt.success };
    const tokens = tokenizeRun(learnt);
    patterns.add(tokens, about);
    needs.add(tokens, about);
  }
  return { facts, patterns, needs };
}

/** Null if the user cancelled. */
async function learnWithProgress(
  facts: readonly TrainingFacts[],
  rules: readonly Rule[],
  { signal, io }: { readonly signal: AbortSignal | undefined; readonly io: CommandIo },
): Promise<LearningResult | null> {
  const progress = createProgressLine(io.stderr);
  const work = learnThresholds(facts, rules);
  for (;;) {
    // Yield to the event loop, so that Ctrl-C is handled and the progress line is drawn.
    await setImmediate();
    if (signal?.aborted === true) break;
    const next = work.next();
    if (next.done === true) {
      progress.clear();
      return next.value;
    }
    progress.show(`Choosing thresholds, leaving out ${next.value} …`);
  }
  progress.clear();
  return null;
}

/** Returns the written file; null if there is nothing to write or writing was not requested. */
async function writeProposal(learnt: LearningResult, options: LearnOptions): Promise<string | null> {
  const { proposal } = learnt;
  if (proposal === null) return null;
  const text = renderLearnedProfile(learnt, proposal);
  if (options.apply === true)
    return applyLearnedProfile(await resolveFolder(options.dir), text, options.force === true);
  if (options.write === undefined) return null;
  await writeLearnedProfile(resolve(options.write), text, options.force === true);
  return options.write;
}

async function writeLearnReport(
  report: LearnReport,
  written: string | null,
  options: LearnOptions,
  io: CommandIo,
): Promise<void> {
  const output = new LineOutput(io.stdout);
  if (options.json === true) await output.write(JSON.stringify(toLearnJson(report, written)));
  else for (const line of formatLearnReport(report, getOutputWidth(io.stdout))) await output.write(line);
}
