import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPageCodeBlocks } from '../../../../scripts/checks/doc-pages.ts';
import { repositoryRoot } from '../../../../scripts/source-files.ts';
import type { InstalledFramework } from './install-framework.ts';

/** Compiles the examples about one adapter next to the installed framework and returns the compiler's errors. */
export function compileDocsExample({ folder }: InstalledFramework, adapter: string): string {
  const blocks = listPageCodeBlocks('ts').filter(({ text }) => text.includes(`'${adapter}'`));
  if (blocks.length === 0) return `no example imports ${adapter}`;
  const files = blocks.map(({ text }, index) => {
    writeFileSync(join(folder, `example-${index}.ts`), `${text}\nexport {};\n`);
    return `example-${index}.ts`;
  });
  const config = {
    extends: join(repositoryRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: true,
      noUnusedLocals: false,
      skipLibCheck: true,
      typeRoots: [join(repositoryRoot, 'node_modules/@types')],
    },
    files,
    include: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
}
