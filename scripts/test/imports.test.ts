import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listImports } from '../checks/imports.ts';
import { findDependencyProblems, listWorkspacePackages } from '../checks/package-dependencies.ts';

describe('the packages of this project', () => {
  it('import each other only in the allowed direction', () => {
    expect(findDependencyProblems()).toEqual([]);
  });

  it('have a governor that depends on nothing and a core that depends on the governor only', () => {
    const dependencies = listWorkspacePackages().map(({ manifest }) => [
      manifest.name,
      Object.entries(manifest).flatMap(([key, value]) =>
        /dependencies$/i.test(key) ? Object.keys(Object(value)) : [],
      ),
    ]);
    expect(Object.fromEntries(dependencies)).toMatchObject({
      '@pawl/governor': [],
      '@pawl/core': ['@pawl/governor'],
    });
  });
});

describe('the dependency check', () => {
  let project = '';

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'pawl-arrows-'));
    put('packages/core/package.json', JSON.stringify({ name: '@pawl/core' }));
    put(
      'packages/runtime/package.json',
      JSON.stringify({ name: '@pawl/runtime', dependencies: { '@pawl/core': '1' } }),
    );
  });

  afterEach(() => {
    rmSync(project, { recursive: true });
  });

  function put(path: string, text: string): void {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }

  it('allows runtime to import core, its own files and Node', () => {
    put(
      'packages/runtime/src/a.ts',
      `import { step } from '@pawl/core';\nimport './b.ts';\nimport 'node:fs/promises';`,
    );
    expect(findDependencyProblems(project)).toEqual([]);
  });

  it('rejects an import in the wrong direction, of types and of values', () => {
    put('packages/core/src/a.ts', `import type { Run } from '@pawl/runtime';`);
    expect(findDependencyProblems(project)).toEqual([
      'packages/core/src/a.ts: @pawl/core may not import @pawl/runtime',
    ]);
  });

  it('rejects a manifest dependency in the wrong direction', () => {
    put(
      'packages/core/package.json',
      JSON.stringify({ name: '@pawl/core', devDependencies: { '@pawl/runtime': '1' } }),
    );
    expect(findDependencyProblems(project)).toEqual([
      'packages/core/package.json: @pawl/core may not depend on @pawl/runtime',
    ]);
  });

  it('lets a test import the test suites of the dependencies of its package only', () => {
    put('packages/runtime/test/a.test.ts', `import '../../core/test/suite.ts';`);
    put('packages/core/test/a.test.ts', `import '../../runtime/test/suite.ts';`);
    expect(findDependencyProblems(project)).toEqual([
      `packages/core/test/a.test.ts: '../../runtime/test/suite.ts' reaches out of the package`,
    ]);
  });

  it('rejects a path into another package', () => {
    put('packages/runtime/src/a.ts', `import '../../core/src/step.ts';`);
    expect(findDependencyProblems(project)).toEqual([
      `packages/runtime/src/a.ts: '../../core/src/step.ts' reaches out of the package`,
    ]);
  });

  it('rejects foreign imports in core, but not in its tests', () => {
    put('packages/core/src/a.ts', `import 'node:fs';`);
    put('packages/core/test/a.test.ts', `import 'vitest';\nimport '@pawl/core';`);
    expect(findDependencyProblems(project)).toEqual([
      `packages/core/src/a.ts: 'node:fs' is outside of @pawl/core, which is pure and has no other dependencies`,
    ]);
  });

  it('rejects a package that the manifest does not list', () => {
    put('packages/runtime/src/a.ts', `import { z } from 'zod/mini';`);
    expect(findDependencyProblems(project)).toEqual([
      `packages/runtime/src/a.ts: 'zod/mini' is not among the dependencies in package.json`,
    ]);
  });

  it('rejects a package without declared dependencies', () => {
    put('packages/other/package.json', JSON.stringify({ name: '@pawl/other' }));
    expect(findDependencyProblems(project)).toEqual(['packages/other: no arrows are known for @pawl/other']);
  });
});

describe('parsing imports', () => {
  it('finds every form of import, and none in comments or strings', () => {
    const source = [
      `import a from './a.ts';`,
      `import type { B } from './b.ts';`,
      `export { c } from './c.ts';`,
      `export * from './d.ts';`,
      `const e = await import('./e.ts');`,
      `type F = import('./f.ts').F;`,
      `// import './no.ts'`,
      'const text = "import \'./no.ts\'";',
      `export const g = 1;`,
    ].join('\n');
    const found = ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts'];
    expect(listImports('x.ts', source).toSorted()).toEqual(found);
  });

  it('parses files with JSX', () => {
    expect(listImports('x.tsx', `import { a } from './a.ts';\nexport const view = <p>{a}</p>;`)).toEqual([
      './a.ts',
    ]);
  });
});
