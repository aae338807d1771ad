import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  loadProjectPackage,
  locateProviderPackage,
  revokeProjectPackage,
  trustProjectPackage,
} from '../../../src/models/providers/provider-packages.ts';

const name = '@test/provider';
let project = '';
let packageFolder = '';
let dependencyFolder = '';

/** A project whose package writes a file when it is executed, and depends on another one. */
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-project-')));
  packageFolder = join(project, 'node_modules', name);
  dependencyFolder = join(project, 'node_modules', 'dependency');
  mkdirSync(packageFolder, { recursive: true });
  mkdirSync(dependencyFolder);
  const trace = JSON.stringify(join(project, 'executed'));
  const code = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${trace}, '');\nexport { word } from 'dependency';\n`;
  writeManifest(packageFolder, { name, dependencies: { dependency: '1' } });
  writeFileSync(join(packageFolder, 'index.js'), code);
  writeManifest(dependencyFolder, { name: 'dependency' });
  writeFileSync(join(dependencyFolder, 'index.js'), "export const word = 'Hello.';\n");
});

afterEach(() => rmSync(project, { recursive: true }));

function writeManifest(folder: string, manifest: object): void {
  const text = JSON.stringify({ type: 'module', exports: './index.js', ...manifest });
  writeFileSync(join(folder, 'package.json'), text);
}

const wasExecuted = (): boolean => existsSync(join(project, 'executed'));

async function getLoadError(folder = project): Promise<string> {
  const error: unknown = await loadProjectPackage(name, folder).catch((thrown: unknown) => thrown);
  expect(wasExecuted()).toBe(false);
  return error instanceof Error ? error.message : expect.fail('It was loaded.');
}

describe('the package of a provider in a project', () => {
  it('is not executed before it is trusted, and the error names both ways', async () => {
    const message = await getLoadError();
    expect(message).toContain(`The package ${name} in ${packageFolder} was not loaded`);
    expect(message).toContain('To use it: pawl trust.');
    expect(message).toContain('To install it beside Pawl: npm install');
    expect(message).not.toContain('\n');
    expect(await locateProviderPackage(name, project)).toEqual({
      kind: 'project',
      folder: packageFolder,
      isTrusted: false,
    });
    expect(wasExecuted()).toBe(false);
  });

  it('is loaded once it is trusted, from folders below the project too', async () => {
    expect(await trustProjectPackage(name, project)).toBe(packageFolder);
    expect(wasExecuted()).toBe(false);
    const below = join(project, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect(await loadProjectPackage(name, below)).toMatchObject({ word: 'Hello.' });
    expect(wasExecuted()).toBe(true);
    expect(await locateProviderPackage(name, below)).toMatchObject({ isTrusted: true });
  });

  it.each([
    ['a file of it', () => join(packageFolder, 'index.js')],
    ['a new file of it', () => join(packageFolder, 'other.js')],
    ['a file of a dependency', () => join(dependencyFolder, 'index.js')],
  ])('loses the trust when %s changes', async (_, getPath) => {
    await trustProjectPackage(name, project);
    writeFileSync(getPath(), '// Something else.\n');
    expect(await getLoadError()).toContain('you have not trusted these files');
  });

  it('loses the trust when another copy of a dependency is installed', async () => {
    await trustProjectPackage(name, project);
    const nested = join(packageFolder, 'node_modules', 'dependency');
    mkdirSync(nested, { recursive: true });
    writeManifest(nested, { name: 'dependency' });
    writeFileSync(join(nested, 'index.js'), "export const word = 'Goodbye.';\n");
    expect(await getLoadError()).toContain('you have not trusted these files');
  });

  it('loses the trust when it is revoked', async () => {
    await trustProjectPackage(name, project);
    expect(await revokeProjectPackage(name, project)).toBe(true);
    expect(await revokeProjectPackage(name, project)).toBe(false);
    await getLoadError();
  });

  it('is not trusted because another project has the same', async () => {
    await trustProjectPackage(name, project);
    const other = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-project-')));
    mkdirSync(join(other, 'node_modules', name), { recursive: true });
    writeManifest(join(other, 'node_modules', name), { name });
    writeFileSync(join(other, 'node_modules', name, 'index.js'), '');
    expect(await getLoadError(other)).toContain(join(other, 'node_modules', name));
    rmSync(other, { recursive: true });
  });

  it('is trusted where a link leads', { tags: ['unix'] }, async () => {
    await trustProjectPackage(name, project);
    const linked = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-project-')));
    mkdirSync(join(linked, 'node_modules', '@test'), { recursive: true });
    symlinkSync(packageFolder, join(linked, 'node_modules', name));
    expect(await loadProjectPackage(name, linked)).toMatchObject({ word: 'Hello.' });
    rmSync(linked, { recursive: true });
  });

  it('may have a damaged manifest, which is an error in one line', async () => {
    writeFileSync(join(dependencyFolder, 'package.json'), '{');
    expect(await getLoadError()).not.toContain('\n');
  });

  it('is missing in a folder without it', async () => {
    expect(await locateProviderPackage('@test/other', project)).toEqual({ kind: 'missing' });
    expect(await trustProjectPackage('@test/other', project)).toBeNull();
    await expect(loadProjectPackage('@test/other', project)).rejects.toThrow(
      /^The package @test\/other is not installed\. Install it with: npm install/,
    );
  });
});

describe('the package of a provider beside Pawl', () => {
  it('needs no trust', async () => {
    expect(await locateProviderPackage('@ai-sdk/openai', project)).toEqual({ kind: 'own' });
  });
});
