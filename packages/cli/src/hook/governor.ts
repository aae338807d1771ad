import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CallFacts, Finding, GovernorSettings, Json, Observation, Rule, Verdict, Watch } from '@pawl/core';

/*
 * The governor of the core, and nothing else of it. A hook is a process of its own before and after every call of a tool, and
 * somebody waits for it: all of the core is ten times as many files, and loading them takes longer than all the rest.
 */
const require = createRequire(import.meta.url);
const core = dirname(require.resolve('@pawl/core'));

function part<Exports>(file: string): Exports {
  return require(join(core, file)) as Exports;
}

export const { observe, textOf } = part<{
  readonly observe: (facts: CallFacts) => Observation;
  readonly textOf: (output: Json) => string;
}>('governor/observation.ts');

export const { unwatched, watch } = part<{
  readonly unwatched: Watch;
  readonly watch: (
    before: Watch,
    sighting: Observation,
    rules: readonly Rule[],
  ) => { readonly watch: Watch; readonly finding: Finding | null };
}>('governor/watch.ts');

export const { rulesFor } = part<{
  readonly rulesFor: (settings: GovernorSettings) => readonly Rule[];
}>('governor/rulebook.ts');

export const { verdictOn } = part<{
  readonly verdictOn: (finding: Finding, settings: GovernorSettings, failure: Failure | null) => Verdict;
}>('governor/verdict.ts');

type Failure = { readonly args: Json; readonly said: string; readonly tools: ReadonlySet<string> };

export const { isNews } = part<{
  readonly isNews: (window: readonly Observation[], index: number) => boolean;
}>('governor/rules/tail.ts');

export const { codexOutcome } = part<{
  readonly codexOutcome: (result: Json | undefined, error: boolean | undefined) => Told;
}>('traces/codex-output.ts');

/** What a tool said, and whether that is a failure, as far as that is known. */
type Told = { readonly result: Json | undefined; readonly error: boolean | undefined };
