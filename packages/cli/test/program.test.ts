import { Help, type Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { captureIo } from './capture-io.ts';
import { parseCommandLine, createWholeProgram } from './whole-program.ts';

type NamedCommand = { readonly words: readonly string[]; readonly command: Command };

function listCommands(command: Command, above: readonly string[] = []): readonly NamedCommand[] {
  return command.commands.flatMap((each) => {
    const words = [...above, each.name()];
    return [{ words, command: each }, ...listCommands(each, words)];
  });
}

/** Without hidden aliases. */
function listVisibleCommands(command: Command): readonly Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands.filter((each) => visible.includes(each));
}

const all = listCommands(await createWholeProgram()).map((found) => ({
  ...found,
  name: found.words.join(' '),
}));
const leafCommands = all.filter(({ command }) => command.commands.length === 0);

/** Commands without `--json`, each with the reason. */
const commandsWithoutJson: ReadonlyMap<string, string> = new Map([
  ['trust', 'shows the text that is trusted, to be read by a person'],
  ['pipe', 'speaks JSON only'],
  ['chart', 'has --format json'],
  ['export', 'has --as json'],
  ['memory export', 'writes JSON only'],
  ['completion', 'prints a script for a shell'],
  ['hook claude', 'speaks JSON only'],
  ['hook codex', 'speaks JSON only'],
  ['hook gemini', 'speaks JSON only'],
  ['hook qwen', 'speaks JSON only'],
  ['hook opencode', 'speaks JSON only'],
  ['hook copilot', 'speaks JSON only'],
  ['hook cursor', 'speaks JSON only'],
  ['hook cline', 'speaks JSON only'],
  ['mcp', 'speaks JSON only'],
]);

describe('every command', () => {
  it.each(all)(
    '$name describes itself with --help, with examples or its subcommands',
    async ({ words, command }) => {
      const { code, out, err } = await parseCommandLine([...words, '--help']);
      expect(code).toBe(0);
      expect(err).toBe('');
      expect(command.description()).toMatch(/^[A-Z]/);
      expect(out).toContain(`Usage: pawl ${words.join(' ')}`);
      const [, examples = ''] = out.split('Examples:\n');
      if (command.commands.length === 0) expect(examples).toContain(`pawl ${words[0]}`);
      for (const each of listVisibleCommands(command))
        expect(out).toMatch(new RegExp(`^  ${each.name()}\\b`, 'm'));
    },
  );

  it.each(all)('$name describes every flag and every argument', ({ command }) => {
    for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    for (const argument of command.registeredArguments)
      expect(argument.description, argument.name()).not.toBe('');
  });

  it.each(all)('$name rejects an unknown flag with one line and exit code 2', async ({ words }) => {
    const { code, out, err } = await parseCommandLine([...words, '--no-such-flag']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^pawl: [^\n]*--no-such-flag[^\n]*\n$/);
    // A group may have a default subcommand, which has the flags.
    expect(err).toMatch(new RegExp(`\\(see pawl ${words.join(' ')}(?: (?:show|list))? --help\\)\n$`));
  });

  it.each(leafCommands)('$name has --json, or is listed as an exception', ({ name, command }) => {
    const hasJson = command.options.some(({ long }) => long === '--json');
    expect(hasJson || commandsWithoutJson.has(name), `${name} needs --json, or a line in withoutJson`).toBe(
      true,
    );
    expect(hasJson && commandsWithoutJson.has(name), `${name} has --json: take it out of withoutJson`).toBe(
      false,
    );
  });

  it.each(leafCommands.filter(({ command }) => command.registeredArguments.some(({ required }) => required)))(
    '$name rejects a missing argument with one line and exit code 2',
    async ({ words, command }) => {
      const { code, out, err } = await parseCommandLine(words);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toMatch(/^pawl: [^\n]*\n$/);
      expect(err).toContain(command.registeredArguments[0]?.name());
      expect(err).toContain(`(see pawl ${words.join(' ')} --help)\n`);
    },
  );

  it('has every command that is listed as an exception', () => {
    for (const name of commandsWithoutJson.keys())
      expect(leafCommands.map((leaf) => leaf.name)).toContain(name);
  });
});

describe('incorrect usage', () => {
  it.each([
    [['rnu'], 'Did you mean run?', 'pawl --help'],
    [['--halp'], 'Did you mean --help?', 'pawl --help'],
    [['run', '--modell', 'x', 'y'], 'Did you mean --model?', 'pawl run --help'],
    [['run', '--model'], 'argument missing', 'pawl run --help'],
    [['config', 'chekc'], 'Did you mean check?', 'pawl config --help'],
    [['config', 'check', '--jsn'], 'Did you mean --json?', 'pawl config check --help'],
    [['fork', 'a', 'b'], 'too many arguments', 'pawl fork --help'],
    [['queue', 'retyr'], "unknown command 'retyr'. Did you mean retry?", 'pawl queue --help'],
    [['queue', 'show', 'retyr'], 'too many arguments', 'pawl queue show --help'],
    [['profiles', 'shwo', 'x'], "unknown command 'shwo'. Did you mean show?", 'pawl profiles --help'],
    [['sessions', 'all'], 'too many arguments', 'pawl sessions --help'],
    [['tell', 'last', 'pasue'], 'Did you mean pause? Allowed choices are say', 'pawl tell --help'],
  ])('of %j names the nearest name and the help of the command', async (args, problem, help) => {
    const { io, out, err } = captureIo();
    expect(await main(args, io)).toBe(2);
    expect([err(), out()]).toEqual([expect.stringContaining(problem), '']);
    expect(err()).toMatch(/^pawl: [^\n]*\n$/);
    expect(err().endsWith(` (see ${help})\n`)).toBe(true);
  });
});

describe('the help of the program', () => {
  it('shows each command with the arguments of its definition', async () => {
    const { out } = await parseCommandLine(['--help']);
    const lines = out.split('\n').map((line) => line.trim().split(/ {2,}/)[0]);
    const commands = all.filter(({ words }) => words.length === 1);
    expect(commands.length).toBeGreaterThan(30);
    for (const { command } of commands) expect(lines).toContain(new Help().subcommandTerm(command));
  });

  it('is the same without the definitions of the commands', async () => {
    const { io, out } = captureIo();
    expect(await main(['--help'], io)).toBe(0);
    expect(out()).toBe((await parseCommandLine(['--help'])).out);
  });

  it('is the same for a command, by flag and by name', async () => {
    const { out } = await parseCommandLine(['queue', 'show', '--help']);
    for (const args of [
      ['queue', 'show', '--help'],
      ['queue', 'help', 'show'],
    ]) {
      const captured = captureIo();
      expect(await main(args, captured.io)).toBe(0);
      expect(captured.out()).toBe(out);
    }
  });
});

describe('a command group', () => {
  const groups = all.filter(({ command }) => command.commands.length > 0);

  it.each(groups)('$name rejects an unknown subcommand with one line and exit code 2', async ({ words }) => {
    const { code, out, err } = await parseCommandLine([...words, 'no-such-command']);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^pawl: [^\n]*\n$/);
  });
});
