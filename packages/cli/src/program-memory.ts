import type { Command } from 'commander';
import { formatExamples, type CommandContext } from './program-parts.ts';

type MemoryFlags = {
  readonly dir: string;
  readonly file?: string;
  readonly storage?: string;
  readonly store?: string;
  readonly tenant?: string;
  readonly json?: true;
};

/** Adds the memory commands, which share the flags that select a memory. */
export function addMemoryCommands(program: Command, { io, exit }: CommandContext): void {
  const memory = program
    .command('memory')
    .description('look into what an agent remembers, export it, or import it')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', formatExamples('pawl memory list', 'pawl memory search attic'));
  const add = (usage: string, description: string): Command =>
    memory
      .command(usage)
      .description(description)
      .option('-d, --dir <folder>', 'the folder that the agent works in', '.')
      .option('--file <file>', 'a memory document instead, such as data/memory.json')
      .option('--storage <file>', 'a storage instead, by its SQLite file')
      .option(
        '--store <where>',
        'where sessions are kept: with redis://host:6379, the memory that workers have',
      )
      .option('--tenant <name>', 'whose memory it is, in Redis (default: "default")');
  add('list', 'show what is in working memory and in storage, an entry a line')
    .option('--tags', 'show the tags instead, and how often each is used')
    .option('--json', 'print one JSON object a line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl memory list --storage notes.sqlite --tags',
        'pawl memory list --store redis://host:6379',
      ),
    )
    .action(async (options: MemoryFlags & { tags?: true }) => {
      const { listMemory } = await import('./commands/memory.ts');
      exit(await listMemory(options, io));
    });
  add('search', 'find entries by words in them or in their tags')
    .argument('<words...>', 'what to look for')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', formatExamples('pawl memory search grandmother attic'))
    .action(async (words: string[], options: MemoryFlags) => {
      const { searchMemory } = await import('./commands/memory.ts');
      exit(await searchMemory(words.join(' '), options, io));
    });
  addTransferCommands(add, { io, exit });
}

function addTransferCommands(
  add: (usage: string, description: string) => Command,
  { io, exit }: Pick<CommandContext, 'io' | 'exit'>,
): void {
  add('export', 'write all of a memory as one JSON object')
    .option('-o, --out <file>', 'write to a file instead of standard output')
    .option('--force', 'replace that file if it is there')
    .addHelpText('after', formatExamples('pawl memory export --storage notes.sqlite --out notes.json'))
    .action(async (options: MemoryFlags & { out?: string; force?: true }) => {
      const { exportMemoryDocument } = await import('./commands/memory.ts');
      exit(await exportMemoryDocument(options, io));
    });
  add('import', 'put what was exported into a memory, making it if need be')
    .argument('<from>', 'an exported memory, or any memory document')
    .option('--merge', 'add to what is there; of two entries under one key the new one stays (the default)')
    .option('--replace', 'replace all that is there')
    .option('--json', 'print what was done as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl memory import notes.json --storage notes.sqlite',
        'pawl memory import backup.json --file data/memory.json --replace',
      ),
    )
    .action(async (from: string, options: MemoryFlags & { merge?: true; replace?: true }) => {
      const { importMemoryDocument } = await import('./commands/memory.ts');
      exit(await importMemoryDocument(from, options, io));
    });
}
