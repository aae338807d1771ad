import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigFileError } from '../../src/config/config.ts';
import { buildConfigJsonSchema } from '../../src/config/config-schema.ts';
import { findConfigFile } from '../../src/config/load-config.ts';
import { configFileNames } from '../../src/platform/data-folder.ts';
import { getUserConfigFolder } from '../../src/platform/data-folder.ts';
import { configFileBytesMax, readConfigFile } from '../../src/config/read-config-file.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeConfigFile(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function readConfigTextError(name: string, content: string | Uint8Array): Promise<ConfigFileError> {
  return readConfigError(writeConfigFile(name, content));
}

async function readConfigError(path: string): Promise<ConfigFileError> {
  try {
    await readConfigFile(path);
  } catch (error) {
    if (error instanceof ConfigFileError) return error;
    throw error;
  }
  throw new Error('the file was taken');
}

const fullConfigText = `
# What this project needs.
model: anthropic:some-model
baseUrl: http://127.0.0.1:8080
profile: ./profiles/coder.yaml
permission:
  mode: auto-edit
  rules:
    - allow shell(git log **)
    - deny *(secrets/**)
mcpServers:
  files:
    command: npx
    args: [server-filesystem, .]
    cwd: tools
    env: { TOKEN: '\${FILES_TOKEN}' }
    callMs: 5000
  remote:
    url: https://example.com/mcp
    headers: { Authorization: 'Bearer \${REMOTE_TOKEN}' }
hooks:
  beforeTool: [{ command: [./check.sh], tools: [shell], timeoutMs: 1000 }]
  afterTools: [{ command: [npm, run, fix] }]
  finish: [{ command: [./tell.sh] }]
  autoCommit: { runsHooks: true }
budgets: { modelCalls: 100, cost: 2.5, wallMs: 60000 }
prices:
  anthropic:some-model: { inputPerMillion: 3, outputPerMillion: 15 }
store: workspace
testCommand: npm test
projectInstructions: false
summaryModel: same
agent: { max_retries: 5, state_machine: { enable: true, stuck_threshold: 4 } }
toolLimits:
  shell: { timeoutMs: 600000 }
  files__read: { timeoutMs: null, outputCharsMax: 5000 }
telemetry:
  otlp: https://collector.example.com
  headers: { x-api-key: '\${COLLECTOR_KEY}' }
  captureContent: false
`;

const fullConfig = {
  model: 'anthropic:some-model',
  baseUrl: 'http://127.0.0.1:8080',
  profile: join(folder, 'profiles/coder.yaml'),
  permission: {
    mode: 'auto-edit',
    rules: [
      { decision: 'allow', tool: 'shell', on: 'git log **' },
      { decision: 'deny', tool: '*', on: 'secrets/**' },
    ],
  },
  mcpServers: [
    {
      name: 'files',
      command: 'npx',
      args: ['server-filesystem', '.'],
      cwd: join(folder, 'tools'),
      env: { TOKEN: '${FILES_TOKEN}' },
      callMs: 5_000,
    },
    { name: 'remote', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${REMOTE_TOKEN}' } },
  ],
  hooks: {
    beforeTool: [{ command: ['./check.sh'], tools: ['shell'], timeoutMs: 1_000 }],
    afterTools: [{ command: ['npm', 'run', 'fix'] }],
    finish: [{ command: ['./tell.sh'] }],
    autoCommit: { runsHooks: true },
  },
  budgets: { modelCalls: 100, cost: 2.5, wallMs: 60_000 },
  prices: { 'anthropic:some-model': { inputPerMillion: 3, outputPerMillion: 15 } },
  store: 'workspace',
  testCommand: 'npm test',
  projectInstructions: false,
  summaryModel: 'same',
  agent: { max_retries: 5, state_machine: { enable: true, stuck_threshold: 4 } },
  toolLimits: {
    shell: { timeoutMs: 600_000 },
    files__read: { timeoutMs: null, outputCharsMax: 5_000 },
  },
  telemetry: {
    otlp: 'https://collector.example.com',
    headers: { 'x-api-key': '${COLLECTOR_KEY}' },
    captureContent: false,
  },
};

describe('readConfigFile', () => {
  it('reads every setting and resolves paths relative to the file', async () => {
    const path = writeConfigFile('whole.yaml', fullConfigText);
    expect(await readConfigFile(path)).toStrictEqual({
      path,
      text: fullConfigText,
      config: fullConfig,
      isCode: false,
      warnings: [],
    });
  });

  it('reads JSON that names a schema', async () => {
    const text = JSON.stringify({ $schema: './pawl.schema.json', model: 'librarian', profile: 'pawl' });
    expect((await readConfigFile(writeConfigFile('a.json', text))).config).toStrictEqual({
      model: 'librarian',
      profile: 'pawl',
    });
  });

  it.each(['', '# nothing yet\n', '{}'])('accepts an empty file: %j', async (text) => {
    expect((await readConfigFile(writeConfigFile('nothing.yaml', text))).config).toStrictEqual({});
  });

  it.each([
    ['modle: x', 1, 'modle: unknown key "modle"; did you mean model?'],
    ['\npermissions:\n  mode: ask', 2, 'permissions: unknown key "permissions"; did you mean permission?'],
    [
      'colour: red',
      1,
      'colour: unknown key "colour"; the keys are model, baseUrl, summaryModel, profile, permission,',
    ],
    ['apiKey: abc', 1, "secrets are not read from files. Set the provider's environment variable instead"],
    ['- a', 1, 'expected an object, got an array.'],
    ['just text', 1, 'expected an object, got "just text".'],
    ['model: 7', 1, 'model: expected a string, got 7.'],
    ['model:', 1, 'model: expected a string, got null.'],
    [
      'baseUrl: http://127.0.0.1',
      1,
      'baseUrl: it applies only to a model set in the same file. Set "model" as well.',
    ],
    [
      'permission:\n  mode: yolo',
      2,
      'permission.mode: expected one of "read-only", "ask", "auto-edit", "full-auto", got "yolo".',
    ],
    [
      'permission:\n  rules:\n    - allow write\n    - allow',
      4,
      'permission.rules[1]: "allow" is not a rule. Write it as "allow shell(git log **)".',
    ],
    [
      'mcpServers:\n  a__b:\n    command: x',
      2,
      'mcpServers.a__b: must be up to 32 letters and digits, with single - or _ between them.',
    ],
    ['mcpServers:\n  a:\n    args: []', 2, 'mcpServers.a: needs either a command or a url, not both.'],
    ['mcpServers:\n  a:\n    command: x\n    url: y', 2, 'mcpServers.a: needs either a command'],
    [
      'mcpServers:\n  a:\n    command: x\n    headers: {}',
      2,
      'mcpServers.a: has headers, which apply only to servers with a url. Use env instead.',
    ],
    ['mcpServers:\n  a:\n    url: http://x\n    env: {}', 2, 'mcpServers.a: has args, env or cwd'],
    [
      'mcpServers:\n  a:\n    comand: x',
      3,
      'mcpServers.a.comand: unknown key "comand"; did you mean command?',
    ],
    [
      'mcpServers:\n  a:\n    command: x\n    env:\n      A: 1',
      5,
      'mcpServers.a.env.A: expected a string, got 1.',
    ],
    [
      'mcpServers:\n  a:\n    command: x\n    callMs: 0',
      4,
      'mcpServers.a.callMs: expected at least 1, got 0.',
    ],
    [
      'hooks:\n  afterTools:\n    - command: npm test',
      3,
      'hooks.afterTools[0].command: expected a list: a program and its arguments.',
    ],
    [
      'hooks:\n  afterTools:\n    - command: []',
      3,
      'hooks.afterTools[0].command[0]: missing; expected a string.',
    ],
    [
      'hooks:\n  autoCommit: 3',
      2,
      'hooks.autoCommit: expected true, false, or an object with runsHooks and timeoutMs.',
    ],
    ['budgets:\n  cost: -1', 2, 'budgets.cost: expected'],
    ['budgets:\n  tokens: 1.5', 2, 'budgets.tokens: expected a whole number'],
    ['budgets:\n  tokens: .nan', 2, 'budgets.tokens: expected'],
    ['agent:\n  max_retries: 0', 2, 'agent.max_retries: expected at least 1, got 0.'],
    ['agent:\n  state_machine:\n    stuck_treshold: 3', 3, 'did you mean stuck_threshold?'],
    [
      'agent:\n  state_machine:\n    stuck_threshold: 50',
      2,
      'agent.state_machine: Tracker config: stuckThreshold is 50, so maxRecentErrors must be at least that',
    ],
    ['prices:\n  m: { inputPerMillion: 1 }', 2, 'prices.m.outputPerMillion: missing; expected a number.'],
  ])('reports what is wrong and where: %j', async (text, line, problem) => {
    const error = await readConfigTextError('wrong.yaml', text);
    expect(error.code).toBe('invalid');
    expect(error.message).toContain(problem);
    expect(error.message).toMatch(new RegExp(`^"${join(folder, 'wrong.yaml')}", line ${line}: `));
    expect(error.line).toBe(line);
    expect(error.message).not.toContain('\n');
  });

  it.each([
    ['{"__proto__": {"model": "x"}}', '__proto__: unknown key "__proto__".'],
    ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'mcpServers.__proto__: unknown key "__proto__".'],
    ['{"prices": {"__proto__": {"inputPerMillion": 1, "outputPerMillion": 1}}}', 'prices.__proto__'],
    ['{"constructor": 1}', 'unknown key "constructor"'],
    ['{"mcpServers": {"a": {"command": "x", "env": {"__proto__": "y"}}}}', 'mcpServers.a.env.__proto__'],
  ])('takes no key for what it is not: %s', async (text, problem) => {
    expect((await readConfigTextError('proto.json', text)).message).toContain(problem);
    expect(({} as { readonly model?: string }).model).toBeUndefined();
  });

  it.each([
    ['a.json', '{"model": }', 'syntax', 1],
    ['a.yaml', 'model: x\nmodel: y', 'syntax', 2],
    ['a.yaml', 'model: !!js/function x', 'syntax', 1],
    ['a.yaml', '{a: &a [*b]}', 'syntax', null],
  ] as const)('says where it is not even %s: %s', async (name, text, code, line) => {
    expect(await readConfigTextError(name, text)).toMatchObject({ code, line });
  });

  it('names the unreadable file', { tags: ['unix'] }, async () => {
    expect((await readConfigError(join(folder, 'none.yaml'))).code).toBe('missing');
    expect((await readConfigTextError('config.toml', '')).code).toBe('unknown-kind');
    expect((await readConfigTextError('large.json', ' '.repeat(configFileBytesMax + 1))).code).toBe(
      'too-large',
    );
    expect((await readConfigTextError('bytes.json', new Uint8Array([0xff, 0xfe]))).code).toBe('syntax');
    mkdirSync(join(folder, 'folder.yaml'));
    expect((await readConfigError(join(folder, 'folder.yaml'))).code).toBe('not-a-file');
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    expect((await readConfigError(join(folder, 'pipe.yaml'))).code).toBe('not-a-file');
  });

  it('throws only a ConfigFileError, whatever the file contains', async () => {
    const text = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.json(),
      fc
        .jsonValue()
        .map((value) => JSON.stringify({ mcpServers: value, hooks: value, permission: { rules: value } })),
      fc
        .dictionary(
          fc.constantFrom('model', 'permission', 'mcpServers', 'hooks', 'budgets', 'prices'),
          fc.jsonValue(),
        )
        .map((value) => stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        const outcome = await readConfigFile(writeConfigFile('any.yaml', each)).catch(
          (error: unknown) => error,
        );
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ConfigFileError);
      }),
    );
  });
});

describe('a secret in a file', () => {
  const secret = ['ghp', 'a1b2c3d4e5f6g7h8i9j0k1l2'].join('_');

  it('causes a warning with its location and the fix that does not repeat it', async () => {
    const text = `mcpServers:
  github:
    command: npx
    env:
      GITHUB_TOKEN: ${secret}
      MY_PASSWORD: hunter2
      PLACE: here
  remote:
    url: https://example.com
    headers:
      Authorization: Bearer abc
      X-Ok: \${TOKEN}
`;
    const path = writeConfigFile('secret.yaml', text);
    const { warnings } = await readConfigFile(path);
    expect(warnings).toEqual([
      `"${path}", line 5: mcpServers.github.env.GITHUB_TOKEN looks like a secret. Replace it with "\${GITHUB_TOKEN}" and set the environment variable GITHUB_TOKEN.`,
      `"${path}", line 6: mcpServers.github.env.MY_PASSWORD looks like a secret. Replace it with "\${MY_PASSWORD}" and set the environment variable MY_PASSWORD.`,
      `"${path}", line 11: mcpServers.remote.headers.Authorization looks like a secret. Replace it with "\${NAME}" and set the environment variable NAME.`,
    ]);
    expect(warnings.join()).not.toMatch(/ghp_|hunter2/);
  });

  it('is found anywhere, including in arguments', async () => {
    const { warnings } = await readConfigFile(
      writeConfigFile('args.yaml', `mcpServers: { a: { command: x, args: [--key, ${secret}] } }`),
    );
    expect(warnings).toEqual([expect.stringContaining('mcpServers.a.args[1] looks like a secret')]);
  });

  it.each([
    `permission: ${['gh', 'p_a1b2c3d4e5f6g7h8i9'].join('')}`,
    `budgets: { cost: ${['gh', 'p_a1b2c3d4e5f6g7h8i9'].join('')} }`,
  ])('is not shown by an error either', async (text) => {
    const { message } = await readConfigTextError('hidden.yaml', text);
    expect(message).toContain('this looks like a secret, and does not belong here.');
    expect(message).not.toContain('a1b2');
  });
});

it('warns about headers that are sent unencrypted', async () => {
  const headers = { 'X-Name': '${NAME}' };
  const mcpServers = {
    far: { url: 'http://example.com/', headers },
    safe: { url: 'https://example.com/', headers },
    near: { url: 'http://127.0.0.1:80/', headers },
    here: { url: 'http://[::1]/', headers },
  };
  const { warnings } = await readConfigFile(writeConfigFile('http.json', JSON.stringify({ mcpServers })));
  expect(warnings).toEqual([
    expect.stringContaining('mcpServers.far.headers are sent unencrypted. Use https.'),
  ]);
});

it.each([
  '{"model": hunter2hunter2 }',
  '{"env": "a" hunter2hunter2',
  `{"model": "x", ${' '.repeat(200)}"k": hunter2hunter2, "z": 1}`,
])('does not quote the source in a syntax error: %s', async (text) => {
  const { code, message } = await readConfigTextError('quoted.json', text);
  expect(code).toBe('syntax');
  expect(message).toContain('invalid JSON');
  expect(message).not.toContain('hunter');
});

describe('findConfigFile', () => {
  it('finds the file under each of its names', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(await findConfigFile(empty)).toBeNull();
    for (const name of configFileNames) {
      const own = mkdtempSync(join(folder, 'own-'));
      writeFileSync(join(own, name), '{}');
      expect(await findConfigFile(own)).toBe(join(own, name));
    }
  });

  it('rejects a folder with two files', async () => {
    const two = mkdtempSync(join(folder, 'two-'));
    for (const name of ['pawl.config.json', 'pawl.config.yml']) writeFileSync(join(two, name), '{}');
    await expect(findConfigFile(two)).rejects.toThrow('Keep only one of them.');
  });
});

describe('getUserConfigFolder', () => {
  it('follows XDG_CONFIG_HOME', () => {
    expect(getUserConfigFolder({ XDG_CONFIG_HOME: '/etc/me' }, 'linux')).toBe('/etc/me/pawl');
    for (const given of [{}, { XDG_CONFIG_HOME: '' }, { XDG_CONFIG_HOME: 'relative' }])
      expect(getUserConfigFolder(given, 'linux')).toBe(join(homedir(), '.config', 'pawl'));
  });
});

describe('buildConfigJsonSchema', () => {
  it('contains every key and accepts no other', () => {
    const schema = buildConfigJsonSchema();
    expect(schema).toMatchObject({
      title: 'Pawl configuration',
      type: 'object',
      additionalProperties: false,
    });
    expect(Object.keys(schema['properties'] ?? {}).toSorted()).toEqual(
      ['$schema', ...Object.keys(fullConfig)].toSorted(),
    );
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
