import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { defaultSettings, findProfile, rulesFor, type Rule } from '@pawl/core';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { leastOf } from '../learn/knobs.ts';
import { learning, type Learnt } from '../learn/learn.ts';
import { NeedTable } from '../learn/needs.ts';
import { PatternTable } from '../learn/patterns.ts';
import { factsOf, type LearntRun, type RunFacts } from '../learn/run-facts.ts';
import { tokensOf } from '../learn/tokens.ts';
import { progressLine } from '../progress-line.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { learnJson, type LearnReport } from './learn-json.ts';
import { readLabels } from './learn-labels.ts';
import { applyPreset, isLearnt, presetText, writePreset } from './learn-preset.ts';
import { runsToLearnFrom } from './learn-runs.ts';
import { learnLines } from './learn-text.ts';
import { LineOutput } from './line-output.ts';
import { isFileName, profileNamed } from './profile-option.ts';
import { configFor } from './run-config.ts';
import type { SessionFlags } from './session-store.ts';
import { widthOf } from './columns.ts';
import { folderNamed } from '../folder-option.ts';

export type LearnOptions = SessionFlags & {
  readonly all?: boolean | undefined;
  /** A file that says what became of runs. */
  readonly labels?: string | undefined;
  /** Whose thresholds are in force. */
  readonly profile?: string | undefined;
  readonly write?: string | undefined;
  readonly apply?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Learns from past runs what comes before a failure, what success takes, and which thresholds would have done better. */
export async function learnFrom(traces: readonly string[], options: LearnOptions, io: Io): Promise<ExitCode> {
  const { signal } = options;
  const base = await rulesInForce(options);
  if (isAsked(options)) mayBeWritten(base);
  const labels = options.labels === undefined ? new Map() : await readLabels(options.labels);
  const read = await readAll(runsToLearnFrom({ ...options, traces, labels }, io), base.rules);
  if (signal?.aborted === true) return exitCodes.interrupted;
  if (read.facts.length === 0) throw new UsageError(nothingToLearnFrom);
  const learnt = await learnPatiently(read.facts, base.rules, { signal, io });
  if (learnt === null) return exitCodes.interrupted;
  const report = { learnt, patterns: read.patterns.found(), needs: read.needs.found() };
  const written = await writeIfAsked(learnt, options);
  await tell(report, written, options, io);
  for (const line of remarks(base, written, options)) io.stderr.write(`${visibleLine(line)}\n`);
  return isAsked(options) && written === null ? exitCodes.failed : exitCodes.finished;
}

function isAsked({ write, apply }: LearnOptions): boolean {
  return write !== undefined || apply === true;
}

function remarks({ learnt }: InForce, written: string | null, options: LearnOptions): readonly string[] {
  if (written !== null) return [`Wrote ${written}.`];
  const before =
    learnt === null
      ? []
      : [`This is beside the thresholds of pawl; ${learnt}, which was learnt before, still holds.`];
  return [...(isAsked(options) ? ['Nothing was written.'] : []), ...before];
}

const nothingToLearnFrom =
  'There is nothing to learn from: no session of this folder is kept, and no recorded run was named. ' +
  '--all takes the sessions of every folder; pawl learn FOLDER takes recorded runs.';

type InForce = {
  readonly profile: string;
  readonly isBuiltIn: boolean;
  readonly rules: readonly Rule[];
  /** What was learnt before and is in force, if anything: the file. */
  readonly learnt: string | null;
};

/**
 * The rules of the profile that this folder works by. What was learnt before is no limit to hold on to: it is learnt anew,
 * from what it was built on.
 */
async function rulesInForce({ dir, profile }: LearnOptions): Promise<InForce> {
  const folder = await folderNamed(dir);
  const given = profile ?? (await configFor(folder, {}, null)).config.profile ?? 'pawl';
  const learnt = isFileName(given) && (await isLearnt(given)) ? given : null;
  const named = learnt === null ? given : 'pawl';
  const { name, settings } = await profileNamed(named);
  const { governor } = { ...defaultSettings, ...settings };
  const rules = rulesFor(governor);
  if (rules.length > 0) {
    return { profile: named, isBuiltIn: findProfile(name) !== undefined, rules, learnt };
  }
  throw new UsageError(
    `Only the thresholds of the governor pawl can be learnt, and the profile ${JSON.stringify(name)} has the governor ${governor.preset}. Name another with --profile.`,
  );
}

/** A profile can only be built on one that everybody has. */
function mayBeWritten({ isBuiltIn, profile }: InForce): void {
  if (isBuiltIn) return;
  throw new UsageError(
    `What is written extends a profile that is built in, and ${JSON.stringify(profile)} is your own. Leave out --write and --apply, and put what is learnt under governor.rules in it.`,
  );
}

type Read = {
  readonly facts: readonly RunFacts[];
  readonly patterns: PatternTable;
  readonly needs: NeedTable;
};

/** Of each run only numbers are kept, so there may be as many as there are. */
async function readAll(runs: AsyncIterable<LearntRun>, rules: readonly Rule[]): Promise<Read> {
  const counting = { rules, least: leastOf(rules) };
  const facts: RunFacts[] = [];
  const [patterns, needs] = [new PatternTable(), new NeedTable()];
  for await (const learnt of runs) {
    facts.push(factsOf(learnt, counting));
    if (learnt.success === null) continue;
    const about = { source: learnt.source, failed: !learnt.success };
    const tokens = tokensOf(learnt);
    patterns.add(tokens, about);
    needs.add(tokens, about);
  }
  return { facts, patterns, needs };
}

/** Null when the user would not wait for it. */
async function learnPatiently(
  facts: readonly RunFacts[],
  rules: readonly Rule[],
  { signal, io }: { readonly signal: AbortSignal | undefined; readonly io: Io },
): Promise<Learnt | null> {
  const progress = progressLine(io.stderr);
  const work = learning(facts, rules);
  for (;;) {
    // So that Ctrl-C is heard, and the line is seen.
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

/** Where it was written; null where there is nothing to write, or nobody asked for it. */
async function writeIfAsked(learnt: Learnt, options: LearnOptions): Promise<string | null> {
  const { proposal } = learnt;
  if (proposal === null) return null;
  const text = presetText(learnt, proposal);
  if (options.apply === true)
    return applyPreset(await folderNamed(options.dir), text, options.force === true);
  if (options.write === undefined) return null;
  await writePreset(resolve(options.write), text, options.force === true);
  return options.write;
}

async function tell(
  report: LearnReport,
  written: string | null,
  options: LearnOptions,
  io: Io,
): Promise<void> {
  const output = new LineOutput(io.stdout);
  if (options.json === true) await output.write(JSON.stringify(learnJson(report, written)));
  else for (const line of learnLines(report, widthOf(io.stdout))) await output.write(line);
}
