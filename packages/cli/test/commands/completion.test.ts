import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { openSqliteStore, getProcessOwner } from '@pawl/runtime/store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  argumentCompletions,
  buildCompletionTree,
  flagCompletions,
  flattenCommands,
} from '../../src/commands/completion/tree.ts';
import { printCompletion } from '../../src/commands/completion/action.ts';
import { captureIo } from '../capture-io.ts';
import { createWholeProgram } from '../whole-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-completion-'));
const tree = buildCompletionTree(await createWholeProgram());

type ShellProgram = {
  readonly name: string;
  readonly args: readonly string[];
  /** A program that completes each line of words, and prints the candidates of each on one line. */
  readonly program: (script: string, lines: readonly (readonly string[])[]) => string;
};

const quoteWord = (word: string): string => `'${word}'`;

/** The scripts ask pawl for session ids; a shell function answers in its place. */
const bash: ShellProgram = {
  name: 'bash',
  args: ['--norc', '--noprofile', '-c'],
  program: (script, lines) => `
    source ${script}
    pawl() { [ "$*" = "completion sessions" ] && printf '%s\\n' 1f3a9c2e-aa 2b-bb; }
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _pawl; echo "\${COMPREPLY[*]}"; }
    ${lines.map((words) => `try ${words.map(quoteWord).join(' ')}`).join('\n')}`,
};

const zsh: ShellProgram = {
  name: 'zsh',
  args: ['-f', '-c'],
  program: (script, lines) => `
    compdef() { : }
    compset() { : }
    pawl() { [[ "$*" == "completion sessions" ]] && print -l 1f3a9c2e-aa 2b-bb }
    matching() { local each; for each; do [[ $each == "\${\${words[CURRENT]}##--*=}"* ]] && print -rn -- "$each "; done }
    compadd() { [[ $1 == -S ]] && shift 2; matching "\${(@)argv[2,-1]}" }
    _describe() { matching "\${(@)\${(@P)2}%%:*}" }
    _files() { local -a found; [[ $1 == -/ ]] && found=(*(N/:s,%,/,)) || found=(*(N)); matching "\${(@)found}" }
    source ${script}
    try() { words=("$@"); CURRENT=$#; _pawl; print }
    ${lines.map((words) => `try ${words.map(quoteWord).join(' ')}`).join('\n')}`,
};

const fish: ShellProgram = {
  name: 'fish',
  args: ['--no-config', '-c'],
  program: (script, lines) => `
    source ${script}
    function pawl; test "$argv" = "completion sessions"; and printf '%s\\n' 1f3a9c2e-aa 2b-bb; end
    function try; echo (complete -C "$argv" | string replace -r '\\t.*' '' | string replace -r '^--[a-z-]+=' ''); end
    ${lines.map((words) => `try ${quoteWord(words.join(' '))}`).join('\n')}`,
};

/** Every test machine has bash; the other shells are tested where they are installed. */
const shells = [bash, zsh, fish].filter(
  ({ name }) => name === 'bash' || spawnSync(name, ['--version']).status === 0,
);

async function listCandidates(
  shell: ShellProgram,
  lines: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const { io, out } = captureIo();
  expect(await printCompletion(shell.name, await createWholeProgram(), io)).toBe(0);
  const script = join(folder, `script.${shell.name}`);
  writeFileSync(script, out());
  const args = [...shell.args, shell.program(script, lines)];
  const { stdout, stderr } = spawnSync(shell.name, args, { cwd: join(folder, 'work'), encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').map((line) =>
    line
      .split(' ')
      .filter((word) => word !== '')
      .toSorted(),
  );
}

beforeAll(() => {
  mkdirSync(join(folder, 'work', 'sub-folder'), { recursive: true });
  writeFileSync(join(folder, 'work', 'mine.yaml'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modes = ['ask', 'auto-edit', 'full-auto', 'read-only'];

const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['pawl', 'comp'], ['completion']],
  [
    ['pawl', 'run', '--mo'],
    ['--mode', '--model'],
  ],
  [['pawl', 'run', 'a-goal', '--mode', ''], modes],
  [
    ['pawl', 'run', '--mode', 'a'],
    ['ask', 'auto-edit'],
  ],
  [
    ['pawl', 'run', '-m', 'o'],
    ['ollama:', 'openai-compatible:', 'openai:'],
  ],
  [
    ['pawl', 'run', '-p', 'lk'],
    ['lkj', 'lkj1'],
  ],
  [['pawl', 'run', '-p', 'mi'], ['mine.yaml']],
  [['pawl', 'run', '--max-steps', ''], []],
  [
    ['pawl', 'memory', ''],
    ['export', 'help', 'import', 'list', 'search'],
  ],
  [
    ['pawl', 'memory', 'list', '--t'],
    ['--tags', '--tenant'],
  ],
  [['pawl', 'config', 'show', '--store', 'w'], ['workspace']],
  [
    ['pawl', 'chart', 'turn', '--format', ''],
    ['json', 'mermaid', 'svg', 'xstate'],
  ],
  [['pawl', 'audit', 'm'], ['mine.yaml']],
  [
    ['pawl', 'show', ''],
    ['1f3a9c2e-aa', '2b-bb', 'last'],
  ],
  [['pawl', 'show', '1f'], ['1f3a9c2e-aa']],
  [['pawl', 'completion', 'z'], ['zsh']],
  [['pawl', 'doctor', ''], []],
];

describe.each(shells)('the $name completion script', { tags: ['unix'] }, (shell) => {
  it('completes commands, flags, names, files and sessions', async () => {
    const all = await listCandidates(
      shell,
      cases.map(([words]) => words),
    );
    const got = cases.map(([words], index) => [words, all[index]]);
    expect(got).toEqual(cases);
  });

  it('completes every command and every flag', async () => {
    const commands = flattenCommands(tree).filter(({ name }) => name !== 'help');
    const lines = commands.map(({ path }) => [...path.split(' '), '--']);
    const all = await listCandidates(shell, lines);
    const flags = commands.map((command) => command.flags.map(({ long }) => long).toSorted());
    expect(all.slice(0, flags.length)).toEqual(flags);
    expect(flags.flat().length).toBeGreaterThan(60);
  });
});

describe('the bash completion script', { tags: ['unix'] }, () => {
  it('completes a value after an equals sign, where bash splits words', async () => {
    const lines = [
      ['pawl', 'run', '--mode', '='],
      ['pawl', 'run', '--mode', '=', 'f'],
    ];
    expect((await listCandidates(bash, lines)).slice(0, 2)).toEqual([modes, ['full-auto']]);
  });

  it('completes folders for a folder argument', async () => {
    expect((await listCandidates(bash, [['pawl', 'run', '--dir', '']]))[0]).toEqual(['sub-folder']);
  });

  it('executes none of the completed words', async () => {
    const words = ['pawl', 'show', '$(touch ran)'];
    expect((await listCandidates(bash, [words]))[0]).toEqual([]);
    expect(spawnSync('ls', [join(folder, 'work')], { encoding: 'utf8' }).stdout).not.toContain('ran');
  });
});

describe('completion values', { tags: ['unix'] }, () => {
  it('are defined only for existing flags and commands', () => {
    const commands = new Map(flattenCommands(tree).map((command) => [command.path, command]));
    for (const path of argumentCompletions.keys()) expect([...commands.keys()]).toContain(path);
    for (const key of flagCompletions.keys()) {
      const [flag = ''] = key.split(' ').slice(-1);
      const path = key.slice(0, -flag.length - 1);
      const among = path === '*' ? [...commands.values()] : [commands.get(path)];
      expect(
        among.some((command) => command?.flags.some(({ long }) => long === flag)),
        key,
      ).toBe(true);
    }
  });

  it('match the values that the help of the flag lists', () => {
    const listed = flattenCommands(tree).flatMap(({ path, flags }) =>
      flags.filter(({ long }) => long === '--mode' || flagCompletions.has(`${path} ${long}`)),
    );
    expect(listed.length).toBeGreaterThan(6);
    for (const { long, description, values } of listed)
      for (const word of values?.kind === 'words' ? values.words : [])
        expect(description, long).toContain(word);
  });
});

describe('pawl completion', { tags: ['unix'] }, () => {
  it('lists the supported shells', async () => {
    await expect(printCompletion('bsh', await createWholeProgram(), captureIo().io)).rejects.toThrow(
      'Unknown completion script for "bsh". Did you mean bash? Available: bash, zsh, fish.',
    );
  });

  it('lists the session ids of the folder without those that a shell could interpret', async () => {
    const file = join(folder, 'sessions.db');
    const store = openSqliteStore(file);
    const dir = process.cwd();
    for (const id of ['plain-1', '$(touch ran)', 'a b']) {
      await store.create(createSession({ id, at: 1 }), getProcessOwner(), { metadata: { dir } });
    }
    await store.close();
    vi.stubEnv('PAWL_STORE', file);
    const { io, out } = captureIo();
    expect(await printCompletion('sessions', await createWholeProgram(), io)).toBe(0);
    vi.unstubAllEnvs();
    expect(out()).toBe('plain-1\n');
  });
});
