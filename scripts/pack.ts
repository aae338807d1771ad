// `npm run pack` builds the published packages: each is compiled to JavaScript with its types and packed by npm. The
// output goes to `build/`, or to the folder given as an argument.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildNpmCommand } from './pack/npm-command.ts';
import { compiledFolder, toPublishedManifest, type PublishManifest } from './pack/manifest.ts';

/** Source files that a program reads as text and that must therefore be shipped unchanged. */
const textFiles = ['cli/src/commands/export/replay-recording.ts'];

const projectRoot = dirname(import.meta.dirname);
const { positionals } = parseArgs({ allowPositionals: true });
const buildFolder = resolve(positionals[0] ?? join(projectRoot, 'build'));
const compiledOutput = join(buildFolder, 'compiled');
const packedFolder = join(buildFolder, 'packed');

rmSync(buildFolder, { recursive: true, force: true });
const compileArguments = [
  getBinPath('typescript', 'tsc'),
  '-p',
  'tsconfig.pack.json',
  '--outDir',
  compiledOutput,
];
execFileSync(process.execPath, compileArguments, { cwd: projectRoot, stdio: 'inherit' });
mkdirSync(packedFolder, { recursive: true });
const stagedFolders = globSync('packages/*/package.json', { cwd: projectRoot })
  .toSorted()
  .map((path) => stagePackage(path.split(/[/\\]/)[1] ?? ''));
for (const { name, size, unpackedSize, entryCount } of packPackages(stagedFolders))
  console.log(
    `${name}: ${formatPackageSize(size)} packed, ${formatPackageSize(unpackedSize)} unpacked, ${entryCount} files`,
  );
console.log(`All of them are in ${packedFolder}.`);

/** Assembles the published content of a package and returns its folder. */
function stagePackage(name: string): string {
  const source = join(projectRoot, 'packages', name);
  const target = join(buildFolder, name);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as PublishManifest;
  mkdirSync(target);
  cpSync(join(compiledOutput, name, 'src'), join(target, compiledFolder), { recursive: true });
  for (const file of manifest.files)
    if (file !== 'src') cpSync(join(source, file), join(target, file), { recursive: true });
  for (const file of textFiles.filter((path) => path.startsWith(`${name}/`)))
    cpSync(
      join(projectRoot, 'packages', file),
      join(buildFolder, file.replace(`${name}/src/`, `${name}/${compiledFolder}/`)),
    );
  cpSync(join(projectRoot, 'LICENSE'), join(target, 'LICENSE'));
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(toPublishedManifest(manifest), null, 2)}\n`);
  rewriteImportPaths(target);
  return target;
}

type PackedPackage = {
  readonly name: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
};

/** Packs all packages with one command, because npm takes longer to start than to pack. */
function packPackages(staged: readonly string[]): readonly PackedPackage[] {
  const npm = buildNpmCommand(['pack', '--json', '--pack-destination', packedFolder, ...staged]);
  const output = execFileSync(npm.file, npm.args, {
    shell: npm.shell,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const packages = Object.values(JSON.parse(output) as Record<string, PackedPackage>);
  if (packages.length !== staged.length)
    throw new Error(
      `npm packed ${packages.length} of ${staged.length} packages. Run npm pack in ${buildFolder} by hand to see why.`,
    );
  return packages;
}

/** Rewrites `.ts` in import paths, which the compiler leaves unchanged in declarations and JavaScript files. */
function rewriteImportPaths(target: string): void {
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

function getBinPath(name: string, bin: string): string {
  return join(projectRoot, 'node_modules', name, 'bin', bin);
}

function formatPackageSize(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
