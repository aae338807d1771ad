import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { defaultSettings } from '@pawl/core';
import { findProfile } from '@pawl/core/profiles';
import type { Rule } from '@pawl/governor';
import { selectRules } from '@pawl/governor/rules';
import { isDataFilePath } from '@pawl/runtime/agent-setup';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { computeMinThresholds } from './tunable-thresholds.ts';
import { learnThresholds, type LearningResult } from './learn-thresholds.ts';
import { StepRequirementTable } from './step-requirements.ts';
import { PatternTable, tokenizeRun } from './failure-patterns.ts';
import { extractTrainingFacts, type TrainingRun, type TrainingFacts } from './training-run.ts';
import { createProgressLine } from '../../output/progress-line.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import {
  applyLearnedProfile,
  isLearnedProfile,
  renderLearnedProfile,
  writeLearnedProfile,
} from './profile.ts';
import { formatLearnReport, toLearnJson, type LearnReport } from './report.ts';
import { readLabels, readTrainingRuns } from './runs.ts';
import { LineOutput } from '../../output/line-output.ts';
import { resolveProfileOption, loadConfig } from '../../options/load-config.ts';

import type { SessionFlags } from '../../sessions/store-option.ts';
import { getOutputWidth } from '../../output/columns.ts';
import { resolveFolder } from '../../options/parse-options.ts';

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
  const active = await loadActiveRules(options);
  if (isWriteRequested(options)) requireBuiltInProfile(active);
  const labels = options.labels === undefined ? new Map() : await readLabels(options.labels);
  const data = await readTrainingData(readTrainingRuns({ ...options, traces, labels }, io), active.rules);
  if (signal?.aborted === true) return exitCodes.interrupted;
  if (data.facts.length === 0) throw new UsageError(nothingToLearnMessage);
  const result = await learnWithProgress(data.facts, active.rules, { signal, io });
  if (result === null) return exitCodes.interrupted;
  const report = { result, patterns: data.patterns.listPatterns(), needs: data.needs.computeAll() };
  const written = await writeProposal(result, options);
  await writeLearnReport(report, written, options, io);
  for (const line of formatLearnRemarks(active, written, options))
    io.stderr.write(`${sanitizeOneLine(line)}\n`);
  return isWriteRequested(options) && written === null ? exitCodes.failed : exitCodes.finished;
}

function isWriteRequested({ write, apply }: LearnOptions): boolean {
  return write !== undefined || apply === true;
}

function formatLearnRemarks(
  { learnedProfile }: ActiveRules,
  written: string | null,
  options: LearnOptions,
): readonly string[] {
  if (written !== null) return [`Wrote ${written}.`];
  const remarks =
    learnedProfile === null
      ? []
      : [
          `The current thresholds here are those of pawl; the learned profile ${learnedProfile} stays in effect.`,
        ];
  return [...(isWriteRequested(options) ? ['Nothing was written.'] : []), ...remarks];
}

const nothingToLearnMessage =
  'There is nothing to learn from: this folder has no stored sessions, and no recorded runs were specified. ' +
  'Use --all for the sessions of every folder, or pawl learn FOLDER for recorded runs.';

type ActiveRules = {
  readonly profile: string;
  readonly isBuiltIn: boolean;
  readonly rules: readonly Rule[];
  /** The learned profile in force, if any: its file. */
  readonly learnedProfile: string | null;
};

/**
 * Loads the rules of the folder's profile. A learned profile does not constrain the result: thresholds are learned
 * again from the profile it extends.
 */
async function loadActiveRules({ dir, profile }: LearnOptions): Promise<ActiveRules> {
  const folder = await resolveFolder(dir);
  const requested = profile ?? (await loadConfig(folder, {}, null)).config.profile ?? 'pawl';
  const learnedProfile = isDataFilePath(requested) && (await isLearnedProfile(requested)) ? requested : null;
  const base = learnedProfile === null ? requested : 'pawl';
  const { name, settings } = await resolveProfileOption(base);
  const { governor } = { ...defaultSettings, ...settings };
  const rules = selectRules(governor);
  if (rules.length > 0) {
    return { profile: base, isBuiltIn: findProfile(name) !== undefined, rules, learnedProfile };
  }
  throw new UsageError(
    `Only thresholds of the governor preset pawl can be learned, but the profile ${JSON.stringify(name)} uses the preset ${governor.preset}. Specify another profile with --profile.`,
  );
}

/** A learned profile can extend only a built-in profile, because every installation has those. */
function requireBuiltInProfile({ isBuiltIn, profile }: ActiveRules): void {
  if (isBuiltIn) return;
  throw new UsageError(
    `A learned profile can extend only a built-in profile, and ${JSON.stringify(profile)} is not built in. Omit --write and --apply, and add the learned thresholds to its governor.rules.`,
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
  for await (const run of runs) {
    facts.push(extractTrainingFacts(run, counting));
    if (run.success === null) continue;
    const label = { source: run.source, failed: !run.success };
    const tokens = tokenizeRun(run);
    patterns.add(tokens, label);
    needs.add(tokens, label);
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
    progress.show(`Selecting thresholds, holding out ${next.value} …`);
  }
  progress.clear();
  return null;
}

/** Returns the written file; null if there is nothing to write or writing was not requested. */
async function writeProposal(result: LearningResult, options: LearnOptions): Promise<string | null> {
  const { proposal } = result;
  if (proposal === null) return null;
  const text = renderLearnedProfile(result, proposal);
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
