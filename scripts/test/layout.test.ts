import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

/** The location of each part that the original systems had in a separate file. */
const expectedPaths: readonly (readonly [part: string, path: string])[] = [
  ['the chart of reasoning states [SAV-05]', 'packages/core/src/modes/charts/savant.ts'],
  ['the agent loop [SAV-14]', 'packages/runtime/src/agent/agent.ts'],
  ['the prompt builder [SAV-23]', 'packages/runtime/src/agent/prompt.ts'],
  ['the tracker’s state machine and its state [NEX-18]', 'packages/governor/src/tracker/track-record.ts'],
  ['the tests of the state machine, which one command runs [NEX-87]', 'packages/governor/test/tracker'],
  [
    'the integration of the tracker into the agent [NEX-96]',
    'packages/governor/src/tracker/session-tracker.ts',
  ],
  ['the states of the turn [LOOM-09]', 'packages/core/src/session/turn-state.ts'],
  ['the turn machine [LOOM-10]', 'packages/core/src/step.ts'],
  [
    'the reducer that runs for every event, outside the states [LKJ2-17]',
    'packages/core/src/reducers/reduce-mode.ts',
  ],
];

/** The packages with several entry points, except the adapters, which have one per library. */
function listEntryPoints() {
  return ['governor', 'core', 'runtime'].flatMap((packageFolder) => {
    const folder = join(repositoryRoot, 'packages', packageFolder);
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string>>;
    };
    return Object.entries(exports).map(([path, file]) => {
      const lists = readFileSync(join(folder, file), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\} from/gm);
      const names = [...lists].flatMap(([, list = '']) =>
        list.split(',').filter((each) => each.trim() !== ''),
      );
      return { specifier: name + path.slice(1), subpath: path.slice(2), folder, file, names: names.length };
    });
  });
}

const ownPath = 'scripts/test/layout.test.ts';

describe('the layout', () => {
  it.each(expectedPaths)('contains %s', (_, path) => {
    expect(existsSync(join(repositoryRoot, path))).toBe(true);
  });

  it('documents the state machine, the loop and the prompt in architecture.md [SAV-52]', () => {
    const text = readFileSync(join(repositoryRoot, 'docs', 'architecture.md'), 'utf8');
    for (const word of ['step(session, event)', 'Agent', 'prompt', 'mode', 'governor'])
      expect(text).toContain(word);
  });

  it('contains no callbacks or status URLs of an external service [SAV-31..33, SAV-51, SAV-125]', () => {
    const source = listProjectFiles('packages').filter((file) => /\/src\/.*\.ts$/.test(file));
    expect(source.length).toBeGreaterThan(200);
    const detour = /agent_intent_async|intent_to_action|reasoning_(?:callback|status)_url|callback_?url/i;
    expect(source.filter((file) => detour.test(readFileSync(join(repositoryRoot, file), 'utf8')))).toEqual(
      [],
    );
  });

  it('has entry points with at most 80 names, in src/index.ts and src/<subpath>-entry.ts', () => {
    const entries = listEntryPoints();
    expect(entries.length).toBeGreaterThan(40);
    for (const { specifier, subpath, file, names } of entries) {
      expect([specifier, file]).toEqual([
        specifier,
        `./src/${subpath === '' ? 'index' : `${subpath}-entry`}.ts`,
      ]);
      expect([specifier, Math.max(names, 80)]).toEqual([specifier, 80]);
    }
  });

  it('imports the file that defines a name inside a package, not an entry point', () => {
    const entryFiles = new Set(listEntryPoints().map(({ folder, file }) => join(folder, file)));
    const importers = listProjectFiles('packages').filter((file) => {
      if (!/\/src\/.*\.tsx?$/.test(file)) return false;
      const paths = readFileSync(join(repositoryRoot, file), 'utf8').matchAll(
        /\b(?:from |import\()'(\.[^'\n]*)'/g,
      );
      return [...paths].some(([, path = '']) => entryFiles.has(join(repositoryRoot, file, '..', path)));
    });
    expect(importers).toEqual([]);
  });

  it('has no test that checks for its platform by hand instead of with a tag', () => {
    const tests = listProjectFiles('').filter(
      (file) => /\/test\/.*\.test\.ts$/.test(file) && file !== ownPath,
    );
    const byHand = /\.(?:skipIf|runIf)\(process\.platform/;
    expect(tests.filter((file) => byHand.test(readFileSync(join(repositoryRoot, file), 'utf8')))).toEqual([]);
  });

  it('has no test that mocks a module, because tests share a process', () => {
    const tests = listProjectFiles('').filter((file) => /\/test\/.*\.ts$/.test(file) && file !== ownPath);
    expect(tests.length).toBeGreaterThan(350);
    expect(
      tests.filter((file) => /\bvi\.(?:do)?mock\(/i.test(readFileSync(join(repositoryRoot, file), 'utf8'))),
    ).toEqual([]);
  });
});
