import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildExampleModule } from '../checks/code-blocks.ts';
import { listPageCodeBlocks } from '../checks/doc-pages.ts';
import { separatelyTestedAdapters } from '../checks/given-names.ts';
import { repositoryRoot } from '../source-files.ts';

describe('the documentation', () => {
  it('contains only TypeScript that compiles', async () => {
    // Inside the project, so that its packages are found.
    mkdirSync(join(repositoryRoot, '.test-results'), { recursive: true });
    const folder = mkdtempSync(join(repositoryRoot, '.test-results', 'docs-'));
    try {
      const files: string[] = [];
      // The API reference has signatures, which do not compile on their own.
      const blocks = listPageCodeBlocks('ts', 'typescript').filter(
        ({ page, text }) =>
          !page.startsWith('docs/api/') &&
          !separatelyTestedAdapters.some((name) => text.includes(`'${name}'`)),
      );
      for (const { page, line, text } of blocks) {
        // Blocks that name their file can import each other.
        const own = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `${line}.ts`;
        const file = join(folder, page.replaceAll(/[^\w.-]/g, '-'), own);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, await buildExampleModule(text));
        files.push(file);
      }
      expect(files.length).toBeGreaterThan(20);
      const config = {
        extends: join(repositoryRoot, 'tsconfig.json'),
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          lib: ['es2024', 'esnext.disposable'],
          allowUnreachableCode: true,
        },
        include: ['**/*.ts'],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      expect(compileFolder(folder)).toBe('');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function compileFolder(folder: string): string {
  try {
    execFileSync(process.execPath, [join(repositoryRoot, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: string }).stdout ?? error);
  }
}
