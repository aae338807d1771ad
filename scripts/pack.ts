// `npm run pack` makes what is published: every package compiled to JavaScript with its types, and packed as npm packs it.
// It goes to `build/`, or to the folder that is named.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compiledFolder, publishedManifest, type Manifest } from './pack/manifest.ts';

/** Read as text by what is beside them: they are no part of any program of ours. */
const texts = ['cli/src/commands/export-test-play.ts'];

const projectRoot = dirname(import.meta.dirname);
const build = resolve(process.argv[2] ?? join(projectRoot, 'build'));
const compiled = join(build, 'compiled');
const packed = join(build, 'packed');

rmSync(build, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [binOf('typescript', 'tsc'), '-p', 'tsconfig.pack.json', '--outDir', compiled],
  {
    cwd: projectRoot,
    stdio: 'inherit',
  },
);
mkdirSync(packed, { recursive: true });
const sizes = globSync('packages/*/package.json', { cwd: projectRoot })
  .toSorted()
  .map((path) => pack(path.split(/[/\\]/)[1] ?? ''));
for (const { name, size, unpackedSize, entryCount } of sizes)
  console.log(`${name}: ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked, ${entryCount} files`);
console.log(`All of them are in ${packed}.`);

type Packed = {
  readonly name: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
};

function pack(name: string): Packed {
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
  const told = execFileSync('npm', ['pack', '--json', '--pack-destination', packed], {
    cwd: target,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [made] = Object.values(JSON.parse(told) as Record<string, Packed>);
  if (made === undefined) throw new Error(`npm packed nothing of ${name}.`);
  return made;
}

/** The compiler leaves the names of files alone in declarations and in what was JavaScript before. */
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
