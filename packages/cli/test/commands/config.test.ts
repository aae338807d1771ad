import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkConfig, showConfigPaths } from '../../src/commands/config/files.ts';
import { showConfig } from '../../src/commands/config/show.ts';
import { loadConfig } from '../../src/options/load-config.ts';
import { trustFolder } from '../../src/commands/trust/action.ts';
import { captureIo } from '../capture-io.ts';

let dir = '';
let userFolder = '';

beforeEach(() => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-config-command-')));
  dir = join(home, 'project');
  userFolder = join(home, 'config', 'pawl');
  mkdirSync(dir);
  mkdirSync(userFolder, { recursive: true });
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(join(dir, '..'), { recursive: true, force: true });
});

const writeProjectConfig = (text: string, name = 'pawl.config.yaml'): string =>
  writeTestFile(join(dir, name), text);
const writeUserConfig = (text: string, name = 'pawl.config.yaml'): string =>
  writeTestFile(join(userFolder, name), text);

function writeTestFile(path: string, text: string): string {
  writeFileSync(path, text);
  return path;
}

type ConfigReport = {
  readonly isTrusted: boolean;
  readonly warnings: readonly string[];
  readonly values: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly from: string;
    readonly where: string | null;
  }[];
};

async function readConfigReport(flags: object = {}): Promise<ConfigReport> {
  const { io, out } = captureIo();
  expect(await showConfig({ dir, json: true, ...flags }, io)).toBe(0);
  return JSON.parse(out()) as ConfigReport;
}

async function captureCommand(
  work: (io: ReturnType<typeof captureIo>['io']) => Promise<number>,
): Promise<{ code: number; out: string; err: string }> {
  const { io, out, err } = captureIo();
  const code = await work(io);
  return { code, out: out(), err: err() };
}

describe('pawl config show', () => {
  it('shows the origin of each value', async () => {
    const user = writeUserConfig('profile: loom\nstore: workspace\nbudgets: { cost: 5 }');
    const project = writeProjectConfig('profile: nexora\nbudgets: { cost: 2 }\ntestCommand: make test');
    await trustFolder(dir, {}, captureIo().io);
    vi.stubEnv('PAWL_STORE', 'none');
    const { values } = await readConfigReport({ mode: 'read-only' });
    expect(values).toStrictEqual([
      { key: 'model', value: 'librarian', from: 'default', where: null },
      { key: 'profile', value: 'nexora', from: 'project', where: project },
      { key: 'store', value: 'none', from: 'environment', where: 'PAWL_STORE' },
      { key: 'permission.mode', value: 'read-only', from: 'flags', where: null },
      { key: 'budgets.cost', value: 2, from: 'project', where: project },
      { key: 'testCommand', value: 'make test', from: 'project', where: project },
      { key: 'projectInstructions', value: true, from: 'default', where: null },
    ]);
    writeProjectConfig('{}');
    await trustFolder(dir, {}, captureIo().io);
    expect((await readConfigReport()).values[1]).toMatchObject({ value: 'loom', from: 'user', where: user });
  });

  it('ignores an untrusted project file and warns about it', async () => {
    const project = writeProjectConfig('profile: nexora');
    const { values, isTrusted, warnings } = await readConfigReport();
    expect(isTrusted).toBe(false);
    expect(values.find(({ key }) => key === 'profile')).toMatchObject({ value: 'pawl', from: 'default' });
    expect(warnings).toEqual([expect.stringContaining(`${project} is not trusted and was ignored`)]);
    const { out, err } = await captureCommand((io) => showConfig({ dir }, io));
    expect(out).not.toContain('nexora');
    expect(err).toContain('pawl trust');
  });

  it('prints one line per value with its origin', async () => {
    writeUserConfig('permission: { rules: [deny *(secrets/**)] }');
    const { out, err } = await captureCommand((io) => showConfig({ dir, model: 'ollama:a' }, io));
    expect(out).toMatch(/^model +ollama:a +command line$/m);
    expect(out).toMatch(/^permission\.rules +deny \*\(secrets\/\*\*\) +user: \S+pawl\.config\.yaml$/m);
    expect(err).toBe('');
  });

  it('masks secrets and shows references to variables', async () => {
    writeUserConfig(
      'mcpServers:\n  a:\n    command: x\n    env: { TOKEN: hunter2, OTHER_TOKEN: "${OTHER}" }\n    args: [--key, sk-abcdefghijklmnopqrstuvwx]',
    );
    const { out, err } = await captureCommand((io) => showConfig({ dir }, io));
    expect(out).toContain('"TOKEN":"[secret]"');
    expect(out).toContain('"OTHER_TOKEN":"${OTHER}"');
    expect(out).toContain('["--key","[secret]"]');
    expect(`${out}${err}`).not.toMatch(/hunter2|sk-abc/);
    expect(JSON.stringify(await readConfigReport())).not.toMatch(/hunter2|sk-abc/);
  });

  it('shows the values that a run uses', async () => {
    writeUserConfig('model: ollama:a\nbaseUrl: http://file');
    vi.stubEnv('PAWL_BASE_URL', 'http://gpu');
    vi.stubEnv('PAWL_MODE', 'auto-edit');
    const { config } = await loadConfig(dir, {}, null);
    expect(config).toStrictEqual({
      model: 'ollama:a',
      baseUrl: 'http://gpu',
      permission: { mode: 'auto-edit', rules: [] },
    });
    const { values } = await readConfigReport();
    expect(values.slice(0, 2).map(({ value, from }) => [value, from])).toEqual([
      ['ollama:a', 'user'],
      ['http://gpu', 'environment'],
    ]);
  });

  it.each([
    [() => ({ dir: '/does/not/exist' }), 'Folder "/does/not/exist" does not exist'],
    [() => ({ dir, mode: 'yolo' }), 'Unknown mode "yolo"'],
    [() => (vi.stubEnv('PAWL_MODE', 'aks'), { dir }), 'Environment variable PAWL_MODE: expected one of'],
    [() => (writeUserConfig('modle: x'), { dir }), 'line 1: modle: unknown key "modle"; did you mean model?'],
    [
      () => (writeUserConfig('{}'), writeUserConfig('{}', 'pawl.config.json'), { dir }),
      'Keep only one of them.',
    ],
  ])('reports an error in one line', async (options, problem) => {
    const { io, out } = captureIo();
    await expect(showConfig(options(), io)).rejects.toThrow(problem);
    expect(out()).toBe('');
  });
});

describe('a configuration file with code', () => {
  it('takes effect only once it is trusted', async () => {
    const path = writeProjectConfig(`export default { testCommand: 'make ' + 1 };`, 'pawl.config.ts');
    expect((await readConfigReport()).values.some(({ key }) => key === 'testCommand')).toBe(false);
    expect((await captureCommand((io) => checkConfig(path, { dir }, io))).out).toContain('it was not run');
    await trustFolder(dir, {}, captureIo().io);
    expect((await readConfigReport()).values).toContainEqual({
      key: 'testCommand',
      value: 'make 1',
      from: 'project',
      where: path,
    });
    writeProjectConfig(`export default { testCommand: 'make ' + 2 };`, 'pawl.config.ts');
    expect((await readConfigReport()).isTrusted).toBe(false);
  });

  it("needs no trust if it is the user's own", async () => {
    writeUserConfig(`export default { profile: 'loom' };`, 'pawl.config.ts');
    expect((await readConfigReport()).values).toContainEqual(
      expect.objectContaining({ key: 'profile', value: 'loom', from: 'user' }),
    );
  });
});

describe('pawl config path', () => {
  it('prints the paths of existing and possible files', async () => {
    const { code, out } = await captureCommand((io) => showConfigPaths({ dir }, io));
    expect(code).toBe(0);
    expect(out).toBe(
      `user     ${join(userFolder, 'pawl.config.yaml')}  (does not exist)\nproject  ${join(dir, 'pawl.config.yaml')}  (does not exist; to create it: pawl init)\n`,
    );
    writeUserConfig('{}', 'pawl.config.json');
    const project = writeProjectConfig('{}');
    expect((await captureCommand((io) => showConfigPaths({ dir }, io))).out).toContain(
      `${project}  (not trusted; to trust it: pawl trust)\n`,
    );
    await trustFolder(dir, {}, captureIo().io);
    const { out: json } = await captureCommand((io) => showConfigPaths({ dir, json: true }, io));
    expect(JSON.parse(json)).toStrictEqual({
      user: { path: join(userFolder, 'pawl.config.json'), exists: true, trusted: true },
      project: { path: project, exists: true, trusted: true },
    });
  });
});

describe('pawl config check', () => {
  it("checks the user's file and the folder's", async () => {
    expect((await captureCommand((io) => checkConfig(undefined, { dir }, io))).out).toContain(
      'No configuration file found',
    );
    const user = writeUserConfig('model: librarian');
    const project = writeProjectConfig('model: librarian\npermission:\n  mode: yolo');
    const { code, out } = await captureCommand((io) => checkConfig(undefined, { dir }, io));
    expect(code).toBe(2);
    expect(out.split('\n')[0]).toBe(`ok       ${user}`);
    expect(out.split('\n')[1]).toMatch(
      /^ERROR {4}"\S+", line 3: permission\.mode: expected one of .*, got "yolo"\.$/,
    );
    const { out: json } = await captureCommand((io) => checkConfig(undefined, { dir, json: true }, io));
    expect(JSON.parse(json)).toMatchObject({
      ok: false,
      files: [
        { path: user, ok: true, problem: null, line: null, problems: [], warnings: [] },
        { path: project, ok: false, line: 3, problems: [{ line: 3 }] },
      ],
    });
  });

  it('reports all problems of all files, each with its line and what to do', async () => {
    const user = writeUserConfig(
      'profile: lom\nmodle: x\nbudgts: {}\nbaseUrl: http://gpu\nstore: workspce\npermission:\n  mode: aks\n  rules: [alow write, 3]',
    );
    const project = writeProjectConfig('model: opnai:gpt-5\nsummaryModel: ollama\nprofile: ./mine.yaml');
    writeFileSync(join(dir, 'mine.yaml'), 'name: mine\nextend: loom');
    const { code, out } = await captureCommand((io) => checkConfig(undefined, { dir }, io));
    expect(code).toBe(2);
    const lines = out.trimEnd().split('\n');
    const [userName, projectName] = [JSON.stringify(user), JSON.stringify(project)];
    for (const [at, problem] of [
      [1, 'profile: Unknown profile "lom". Did you mean loom? Available: pawl, '],
      [2, 'modle: unknown key "modle"; did you mean model?'],
      [3, 'budgts: unknown key "budgts"; did you mean budgets?'],
      [4, 'baseUrl: it applies only to a model set in the same file. Set "model" as well.'],
      [5, 'store: "workspce" is not a valid session store. Did you mean workspace?'],
      [7, 'permission.mode: expected one of '],
      [8, 'permission.rules[0]: '],
      [8, 'permission.rules[1]: '],
    ] as const)
      expect(
        lines.filter((line) => line.startsWith(`ERROR    ${userName}, line ${at}: ${problem}`)),
      ).toHaveLength(1);
    for (const problem of [
      'model: Unknown model "opnai:gpt-5". Did you mean openai?',
      'summaryModel: ollama requires a model name. Write ollama:MODEL.',
      `profile: ${JSON.stringify(join(dir, 'mine.yaml'))}, line 2: `,
    ])
      expect(lines.filter((line) => line.startsWith(`ERROR    ${projectName}: ${problem}`))).toHaveLength(1);
    expect(lines).toHaveLength(11);
  });

  it('reports two files in one folder together with the problems of the other folder', async () => {
    writeUserConfig('{}');
    writeUserConfig('{}', 'pawl.config.json');
    writeProjectConfig('modle: x');
    const { code, out } = await captureCommand((io) => checkConfig(undefined, { dir }, io));
    expect(code).toBe(2);
    expect(out).toMatch(/Keep only one of them\.\n.*unknown key "modle"/);
  });

  it('accepts a profile by name and as a file', async () => {
    writeUserConfig('profile: loom');
    writeProjectConfig('profile: mine.yaml');
    writeFileSync(join(dir, 'mine.yaml'), 'name: mine\nextends: loom');
    expect((await captureCommand((io) => checkConfig(undefined, { dir }, io))).code).toBe(0);
  });

  it('checks one file and prints its warnings', async () => {
    const path = writeProjectConfig(
      'mcpServers: { a: { command: x, env: { TOKEN: hunter2 } } }',
      'other.yaml',
    );
    const { code, out } = await captureCommand((io) => checkConfig(path, { dir }, io));
    expect(code).toBe(0);
    expect(out).toMatch(/^ok .*\nwarning .*looks like a secret/);
    expect(out).not.toContain('hunter2');
  });

  it('reports a missing file as a usage error', async () => {
    await expect(checkConfig(join(dir, 'none.yaml'), { dir }, captureIo().io)).rejects.toThrow(
      'file not found',
    );
  });
});
