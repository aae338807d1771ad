import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { TestRequirement } from './requirements.ts';

/** Ends a test run with the skipped tests, their missing requirements, and the command that installs them. */
export class SkipReporter implements Reporter {
  readonly #requirements: readonly TestRequirement[];
  readonly #platform: NodeJS.Platform;

  constructor(requirements: readonly TestRequirement[], platform: NodeJS.Platform = process.platform) {
    this.#requirements = requirements;
    this.#platform = platform;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const tags = skipped.map((test: TestCase) => test.tags);
    const lines = formatSkips(tags, this.#requirements, this.#platform);
    if (lines.length > 0) console.log(`${lines.join('\n')}\n`);
  }
}

/** Formats the closing lines from the tags of each skipped test; empty if no test was skipped. */
export function formatSkips(
  skipped: readonly (readonly string[])[],
  requirements: readonly TestRequirement[],
  platform: NodeJS.Platform,
): readonly string[] {
  if (skipped.length === 0) return [];
  const missing = requirements.filter(({ problem }) => problem !== null);
  const unmet = skipped.map((tags) => missing.find(({ tag }) => tags.includes(tag)));
  const rows = missing
    .map((requirement) => ({ requirement, count: unmet.filter((each) => each === requirement).length }))
    .filter(({ count }) => count > 0);
  const others = unmet.filter((each) => each === undefined).length;
  return [
    `Skipped ${skipped.length} ${skipped.length === 1 ? 'test' : 'tests'}:`,
    ...rows.map(
      ({ requirement, count }) =>
        `  ${String(count).padStart(5)}  ${requirement.problem} (tests of ${requirement.usedBy})`,
    ),
    ...(others > 0 ? [`  ${String(others).padStart(5)}  for other reasons`] : []),
    ...formatInstallCommand(
      rows.flatMap(({ requirement }) => requirement.program ?? []),
      platform,
    ),
  ];
}

type Packages = readonly { readonly apt: string; readonly brew: string | null }[];

function formatInstallCommand(programs: Packages, platform: NodeJS.Platform): readonly string[] {
  const names =
    platform === 'darwin' ? programs.flatMap(({ brew }) => brew ?? []) : programs.map(({ apt }) => apt);
  if (names.length === 0 || platform === 'win32') return [];
  const command = platform === 'darwin' ? 'brew install' : 'sudo apt-get install';
  return [`To run them, install what is missing: ${command} ${names.join(' ')}`];
}
