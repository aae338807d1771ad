import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ConfigFileError, type Config } from '../../src/config/config.ts';
import { readConfigFile, type ConfigFileContents } from '../../src/config/read-config-file.ts';
import { runConfigCode } from '../../src/config/run-config-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-config-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'pawl.config.ts');

function readConfigCode(text: string): Promise<ConfigFileContents> {
  writeFileSync(path, text);
  return readConfigFile(path);
}

async function runConfigText(text: string, timeoutMs?: number): Promise<Config> {
  return (await runConfigCode(await readConfigCode(text), timeoutMs)).config;
}

async function runConfigError(text: string, timeoutMs?: number): Promise<ConfigFileError> {
  const error: unknown = await runConfigText(text, timeoutMs).catch((thrown: unknown) => thrown);
  if (error instanceof ConfigFileError) return error;
  throw new Error('the program was taken', { cause: error });
}

describe('readConfigFile with a TypeScript file', () => {
  it('reads its text and runs nothing', async () => {
    const text = 'throw new Error("it was run");';
    expect(await readConfigCode(text)).toStrictEqual({ path, text, config: {}, isCode: true, warnings: [] });
  });
});

describe('runConfigCode', () => {
  it('uses the default export, which may be a promise, and resolves its paths', async () => {
    const text = `
      import type { Config } from '@pawl/runtime/config';
      import { join } from 'node:path';
      const mode: string = 'read-only';
      console.log('said in passing');
      export default Promise.resolve({ profile: join('profiles', 'a.yaml'), permission: { mode } });
    `;
    expect(await runConfigText(text)).toStrictEqual({
      profile: join(folder, 'profiles/a.yaml'),
      permission: { mode: 'read-only' },
    });
  });

  it('runs the text that was read, not the current contents of the file', async () => {
    const trusted = await readConfigCode(`export default { model: 'librarian' };`);
    writeFileSync(path, `export default { model: 'ollama:other' };`);
    expect((await runConfigCode(trusted)).config).toStrictEqual({ model: 'librarian' });
  });

  it('warns about secrets like any other file, without a line number', async () => {
    const text = `export default { mcpServers: { a: { command: 'x', env: { TOKEN: 'abc' } } } };`;
    const { warnings } = await runConfigCode(await readConfigCode(text));
    expect(warnings).toEqual([expect.stringContaining('mcpServers.a.env.TOKEN looks like a secret')]);
  });

  it('hides secrets of the environment', async () => {
    vi.stubEnv('PAWL_TEST_API_KEY', 'hunter2');
    const text = `export default { testCommand: String(process.env.PAWL_TEST_API_KEY) + typeof process.env.PATH };`;
    expect(await runConfigText(text)).toStrictEqual({ testCommand: 'undefinedstring' });
    vi.unstubAllEnvs();
  });

  it.each([
    ['export default {\n  model: ,\n};', 2, 'Expression expected.'],
    ['const a = 1;\n\nthrow new Error("no luck")', 3, 'no luck.'],
    ['enum Mode { Ask }\nexport default {};', 1, 'enum is not supported'],
    [
      `import { x } from './other.ts';\nexport default x;`,
      null,
      'it imports "./other.ts"; a configuration may import only types',
    ],
    [
      `import x from 'some-package';\nexport default x;`,
      null,
      'it imports "some-package"; a configuration may import only types',
    ],
    ['export const config = {};', null, 'it has no default export; end it with: export default { … }'],
    [
      'export default { model: () => 1 };',
      null,
      'the value of "model" is a function; only plain data can be exported.',
    ],
    ['const a: any = {};\na.a = a;\nexport default a;', null, 'circular structure'],
    [
      `import { readFileSync } from 'node:fs';\nexport default readFileSync('/etc/hostname', 'utf8');`,
      2,
      'it accesses files',
    ],
    [
      `import { writeFileSync } from 'node:fs';\nexport default writeFileSync('x', '');`,
      2,
      'it accesses files',
    ],
    [
      `import { execSync } from 'node:child_process';\nexport default execSync('id');`,
      2,
      'or starts programs',
    ],
    ['process.exit(0);', null, 'it exited without exporting a configuration'],
    ['throw null;', null, 'null.'],
  ])('reports why a program fails: %j', async (text, line, problem) => {
    const error = await runConfigError(text);
    expect(error).toMatchObject({ code: 'code', path, line });
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('\n');
  });

  it('validates the export like any other configuration', async () => {
    expect(await runConfigError(`export default { modle: 'x' };`)).toMatchObject({
      code: 'invalid',
      message: `${JSON.stringify(path)}: modle: unknown key "modle"; did you mean model?`,
    });
    expect((await runConfigError('export default 7;')).message).toContain('expected an object, got 7.');
    expect(
      (await runConfigError('export default JSON.parse(\'{"__proto__": {"model": "x"}}\');')).message,
    ).toContain('__proto__');
  });

  it('treats a null export as an empty configuration', async () => {
    expect(await runConfigText('export default undefined;')).toStrictEqual({});
  });

  it('times out on a program that never ends', async () => {
    expect((await runConfigError('for (;;);', 500)).message).toContain(
      'it took longer than 0.5 s and was ended.',
    );
  });
});
