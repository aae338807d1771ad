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

/** The governor of the core, and nothing else of it. */
export type Governor = {
  readonly observe: (facts: CallFacts) => Observation;
  readonly textOf: (output: Json) => string;
  readonly unwatched: Watch;
  readonly watch: (
    before: Watch,
    sighting: Observation,
    rules: readonly Rule[],
  ) => { readonly watch: Watch; readonly finding: Finding | null };
  readonly rulesFor: (settings: GovernorSettings) => readonly Rule[];
  readonly verdictOn: (finding: Finding, settings: GovernorSettings, failure: Failure | null) => Verdict;
  readonly isNews: (window: readonly Observation[], index: number) => boolean;
  readonly codexOutcome: (result: Json | undefined, error: boolean | undefined) => Told;
};

type Failure = { readonly args: Json; readonly said: string; readonly tools: ReadonlySet<string> };

/** What a tool said, and whether that is a failure, as far as that is known. */
type Told = { readonly result: Json | undefined; readonly error: boolean | undefined };

const files = [
  'governor/observation.ts',
  'governor/watch.ts',
  'governor/rulebook.ts',
  'governor/verdict.ts',
  'governor/rules/tail.ts',
  'traces/codex-output.ts',
];

let loaded: Governor | undefined;

/**
 * Loaded when it is first needed. A hook is a process of its own before and after every call of a tool, and somebody waits for
 * it: the whole core is ten times as many files, and most calls come to nothing that needs any of them.
 */
export function governor(): Governor {
  if (loaded !== undefined) return loaded;
  const require = createRequire(import.meta.url);
  const core = dirname(require.resolve('@pawl/core'));
  const parts = files.map((file) => require(join(core, file)) as Partial<Governor>);
  // Each of the names above is exported by one of the files.
  loaded = Object.assign({}, ...parts) as Governor;
  return loaded;
}
