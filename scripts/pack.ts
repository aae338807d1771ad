// `npm run pack` makes what is published: every package compiled to JavaScript with its types, and packed as npm packs it.
// It goes to `build/`, or to the folder that is named. With `--no-check` the types are taken as they are, for whoever has
// checked them already.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compiledFolder, publishedManifest, type Manifest } from './pack/manifest.ts';

/** Files that a program reads as text, so that they are needed as they are. */
const texts = ['cli/src/commands/export-test-play.ts'];

const projectRoot = dirname(import.meta.dirname);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-check': { type: 'boolean', default: false } },
});
const build = resolve(positionals[0] ?? join(projectRoot, 'build'));
const compiled = join(build, 'compiled');
const packed = join(build, 'packed');

rmSync(build, { recursive: true, force: true });
const checking = values['no-check'] ? ['--noCheck'] : [];
const compile = [binOf('typescript', 'tsc'), '-p', 'tsconfig.pack.json', '--outDir', compiled, ...checking];
execFileSync(process.execPath, compile, { cwd: projectRoot, stdio: 'inherit' });
mkdirSync(packed, { recursive: true });
const folders = globSync('packages/*/package.json', { cwd: projectRoot })
  .toSorted()
  .map((path) => stage(path.split(/[/\\]/)[1] ?? ''));
for (const { name, size, unpackedSize, entryCount } of pack(folders))
  console.log(`${name}: ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked, ${entryCount} files`);
console.log(`All of them are in ${packed}.`);

/** Puts together what a package is made of when it is published; returns the folder. */
function stage(name: string): string {
  const source = join(projectRoot, 'packages', name);
  const target = join(build, name);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  mkdirSync(target);
  cpSync(join(compiled, name, 'src'), join(target, compiledFolder), { recursive: true });
  for (const file of manifest.files)
    if (file !== 'src') cpSync(join(source, file), join(target, file), { recursive: true });
  for (const file of texts.filter((path) => path.startsWith(`${name}/`)))
    cpSync(
      join(projectRoot, 'packages', file),
      join(build, file.replace(`${name}/src/`, `${name}/${compiledFolder}/`)),
    );
  cpSync(join(projectRoot, 'LICENSE'), join(target, 'LICENSE'));
  const readme = [join(source, 'README.md'), join(projectRoot, 'README.md')].find(existsSync) ?? '';
  cpSync(readme, join(target, 'README.md'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  pointAtCompiled(target);
  return target;
}

type Packed = {
  readonly name: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
};

/** In one go: npm takes longer to start than to pack. */
function pack(staged: readonly string[]): readonly Packed[] {
  const told = execFileSync('npm', ['pack', '--json', '--pack-destination', packed, ...staged], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const made = Object.values(JSON.parse(told) as Record<string, Packed>);
  if (made.length !== staged.length)
    throw new Error(
      `npm packed ${made.length} of ${staged.length} packages. Run npm pack in ${build} by hand to see why.`,
    );
  return made;
}

/** The compiler leaves file names alone in declarations, and does not see what was JavaScript before. */
function pointAtCompiled(target: string): void {
  for (const file of globSync([`${compiledFolder}/**/*.d.ts`, 'bin/*.js'], { cwd: target })) {
    const path = join(target, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g, (_, quote: string, stem: string) => {
        const moved = stem.replace('../src/', `../${compiledFolder}/`);
        return `${quote}${moved}.js${quote}`;
      }),
    );
  }
}

function binOf(name: string, bin: string): string {
  return join(projectRoot, 'node_modules', name, 'bin', bin);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
