import type { Command } from 'commander';
import { formatExamples, type CommandContext } from '../../options/command-options.ts';

type MemoryFlags = {
  readonly dir: string;
  readonly file?: string;
  readonly storage?: string;
  readonly store?: string;
  readonly tenant?: string;
  readonly json?: true;
};

/** Defines `pawl memory` and its subcommands, which share the flags that select a memory. */
export function defineMemoryCommand(memory: Command, { io, exit }: CommandContext): void {
  memory
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText('after', formatExamples('pawl memory list', 'pawl memory search attic'));
  const add = (usage: string, description: string): Command =>
    memory
      .command(usage)
      .description(description)
      .option('-d, --dir <folder>', 'folder that the agent works in', '.')
      .option('--file <file>', 'memory document to use instead, such as data/memory.json')
      .option('--storage <file>', 'SQLite storage file to use instead')
      .option('--store <where>', 'session store; with redis://host:6379, the memory shared by the workers')
      .option('--tenant <name>', 'tenant that owns the memory in Redis (default: "default")');
  add('list', 'List the entries of working memory and storage')
    .option('--tags', 'list the tags and their counts instead')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      formatExamples(
        'pawl memory list --storage notes.sqlite --tags',
        'pawl memory list --store redis://host:6379',
      ),
    )
    .action(async (options: MemoryFlags & { tags?: true }) => {
      const { listMemory } = await import('./action.ts');
      exit(await listMemory(options, io));
    });
  add('search', 'Search entries by words in their values or tags')
    .argument('<words...>', 'words to search for')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', formatExamples('pawl memory search grandmother attic'))
    .action(async (words: string[], options: MemoryFlags) => {
      const { searchMemory } = await import('./action.ts');
      exit(await searchMemory(words.join(' '), options, io));
    });
  addTransferCommands(add, { io, exit });
}

function addTransferCommands(
  add: (usage: string, description: string) => Command,
  { io, exit }: Pick<CommandContext, 'io' | 'exit'>,
): void {
  add('export', 'Export a memory as one JSON object')
    .option('-o, --out <file>', 'output file (default: standard output)')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText('after', formatExamples('pawl memory export --storage notes.sqlite --out notes.json'))
    .action(async (options: MemoryFlags & { out?: string; force?: true }) => {
      const { exportMemoryDocument } = await import('./action.ts');
      exit(await exportMemoryDocument(options, io));
    });
  add('import', 'Import an exported memory, creating the target if it does not exist')
    .argument('<from>', 'exported memory or memory document')
    .option(
      '--merge',
      'add to the existing entries; imported entries override those with the same key (default)',
    )
    .option('--replace', 'replace all existing entries')
    .option('--json', 'print the result as one JSON object')
    .addHelpText(
      'after',
      formatExamples(
        'pawl memory import notes.json --storage notes.sqlite',
        'pawl memory import backup.json --file data/memory.json --replace',
      ),
    )
    .action(async (from: string, options: MemoryFlags & { merge?: true; replace?: true }) => {
      const { importMemoryDocument } = await import('./action.ts');
      exit(await importMemoryDocument(from, options, io));
    });
}
