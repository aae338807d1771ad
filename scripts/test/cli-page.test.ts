import { describe, expect, it } from 'vitest';
import { captureIo } from '../../packages/cli/test/capture-io.ts';
import { createWholeProgram } from '../../packages/cli/test/whole-program.ts';
import { exitCodes } from '../../packages/cli/src/output/exit-codes.ts';
import { buildCliPage } from '../cli-page.ts';
import { jsonOutputs } from '../cli-json.ts';

type TestedCommand = Awaited<ReturnType<typeof createWholeProgram>>;

function listLeaves(command: TestedCommand, path: string): readonly (readonly [string, TestedCommand])[] {
  if (command.commands.length === 0) return [[path, command]];
  const visible = command.createHelp().visibleCommands(command);
  const subcommands = command.commands.filter((each) => visible.includes(each));
  return subcommands.flatMap((each) => listLeaves(each, `${path} ${each.name()}`));
}

const leaves = listLeaves(await createWholeProgram(captureIo().io), 'pawl');
const [{ text } = { text: '' }] = await buildCliPage();

describe('docs/cli.md', () => {
  it('describes the JSON output of exactly the commands that have --json', () => {
    const withJson = leaves.filter(([, command]) => command.options.some(({ long }) => long === '--json'));
    expect([...jsonOutputs.keys()].toSorted()).toEqual(withJson.map(([path]) => path).toSorted());
  });

  it('omits hidden aliases', () => {
    expect(text).toContain('### pawl queue retry\n');
    expect(text).not.toContain('### pawl queue say\n');
  });

  it('lists every exit code', () => {
    for (const [name, code] of Object.entries(exitCodes))
      expect(text).toMatch(new RegExp(`^\\| \`${code}\` +\\| \`${name}\` +\\| \\S`, 'm'));
  });

  it('contains the exact help of a command, including examples', () => {
    expect(text).toContain('### pawl run\n\n```text\nUsage: pawl run [options] <goal...>\n');
    expect(text).toContain('  pawl audit ~/.claude/projects\n');
    expect(text).not.toContain('undefined');
  });

  it('does not depend on the environment', async () => {
    const [again] = await buildCliPage();
    expect(again?.text).toBe(text);
  });
});
