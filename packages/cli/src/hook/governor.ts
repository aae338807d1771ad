import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type {
  CallFacts,
  Finding,
  GovernorSettings,
  Json,
  Observation,
  Rule,
  Verdict,
  Watch,
} from '@pawl/core';

/*
 * The governor of the core, and nothing else of it. A hook is a process of its own before and after every call of a tool, and
 * somebody waits for it: all of the core is ten times as many files, and loading them takes longer than all the rest.
 */
const require = createRequire(import.meta.url);
const core = dirname(require.resolve('@pawl/core'));

function part(file: string): unknown {
  return require(join(core, file));
}

export const { observe, textOf } = part('governor/observation.ts') as {
  readonly observe: (facts: CallFacts) => Observation;
  readonly textOf: (output: Json) => string;
};

export const { unwatched, watch } = part('governor/watch.ts') as {
  readonly unwatched: Watch;
  readonly watch: (
    before: Watch,
    sighting: Observation,
    rules: readonly Rule[],
  ) => { readonly watch: Watch; readonly finding: Finding | null };
};

export const { rulesFor } = part('governor/rulebook.ts') as {
  readonly rulesFor: (settings: GovernorSettings) => readonly Rule[];
};

export const { verdictOn } = part('governor/verdict.ts') as {
  readonly verdictOn: (finding: Finding, settings: GovernorSettings, failure: Failure | null) => Verdict;
};

type Failure = { readonly args: Json; readonly said: string; readonly tools: ReadonlySet<string> };

export const { isNews } = part('governor/rules/tail.ts') as {
  readonly isNews: (window: readonly Observation[], index: number) => boolean;
};

export const { codexOutcome } = part('traces/codex-output.ts') as {
  readonly codexOutcome: (result: Json | undefined, error: boolean | undefined) => Told;
};

/** What a tool said, and whether that is a failure, as far as that is known. */
type Told = { readonly result: Json | undefined; readonly error: boolean | undefined };
