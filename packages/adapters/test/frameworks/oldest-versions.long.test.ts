import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../../../scripts/source-files.ts';
import { installFramework, type FrameworkPackages } from './install-framework.ts';

/*
 * The tests of the other adapters run with the newest versions, which are dependencies of the project. These run the same
 * tests with the oldest versions that the adapters support, each in a process of its own.
 */

type OldestVersion = {
  readonly name: string;
  readonly packages: FrameworkPackages;
  readonly files: readonly string[];
  /** Titles of tests of what these versions do not do. */
  readonly without?: readonly string[];
};

const oldestVersions: readonly OldestVersion[] = [
  {
    name: 'ai-7.0.0',
    packages: { ai: '7.0.0' },
    files: ['ai-sdk.test.ts'],
    without: [
      // It runs a call of a tool that was not offered before the loop ends.
      'stops a model that calls tools it is not offered',
      'uses the token counts of the provider',
      // A step cannot set the temperature.
      'keeps the callbacks of the given settings',
    ],
  },
  {
    name: 'langchain-1.0.1',
    packages: {
      langchain: '1.0.1',
      '@langchain/core': '1.0.1',
      '@langchain/langgraph': '1.0.0',
      // The newest one that LangGraph accepts needs a newer core.
      '@langchain/langgraph-checkpoint': '1.0.0',
    },
    files: ['langchain.test.ts', 'langgraph.test.ts'],
  },
  {
    name: 'mastra-1.57.0',
    packages: { '@mastra/core': '1.57.0' },
    files: ['mastra.test.ts'],
  },
  {
    name: 'openai-agents-0.16.0',
    packages: { '@openai/agents': '0.16.0' },
    files: ['openai-agents.test.ts'],
    // It reports failures with their own texts.
    without: ['distinguishes failures although the SDK reports all with the same text'],
  },
];

type TestReport = {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
};

/** Runs test files of the adapters with the packages in a folder. */
function runTests(folder: string, { packages, files, without = [] }: OldestVersion): TestReport {
  const config = join(import.meta.dirname, 'framework-version.config.ts');
  const paths = files.map((file) => `packages/adapters/test/${file}`);
  const vitest = join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const report = join(folder, 'report.json');
  const args = [vitest, 'run', '--config', config, '--reporter=json', `--outputFile=${report}`, ...paths];
  if (without.length > 0) args.push('--testNamePattern', `^(?!.*(?:${without.join('|')}))`);
  // The settings of this run are not those of the other.
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST'));
  rmSync(report, { force: true });
  const { stderr } = spawnSync(process.execPath, args, {
    cwd: repositoryRoot,
    encoding: 'utf8',
    env: {
      ...Object.fromEntries(own),
      PAWL_FRAMEWORK_FOLDER: folder,
      PAWL_FRAMEWORK_PACKAGES: Object.keys(packages).join(','),
    },
  });
  if (!existsSync(report)) throw new Error(`The tests did not run: ${stderr}`);
  return JSON.parse(readFileSync(report, 'utf8')) as TestReport;
}

describe.each(oldestVersions)('the oldest supported version, $name', (oldest) => {
  const { folder, problem } = installFramework(oldest.name, oldest.packages);

  it('passes the tests of the newest', ({ skip }) => {
    skip(problem !== null, problem ?? '');
    const { numPassedTests, testResults } = runTests(folder, oldest);
    const failures = testResults.flatMap(({ message, assertionResults }) => [
      ...(message === '' ? [] : [message]),
      ...assertionResults.flatMap(({ status, title }) => (status === 'failed' ? [title] : [])),
    ]);
    expect(failures).toEqual([]);
    expect(testResults).toHaveLength(oldest.files.length);
    expect(numPassedTests).toBeGreaterThan(5 * oldest.files.length);
  });
});
