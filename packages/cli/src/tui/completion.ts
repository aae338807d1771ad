import type { ScreenModel } from './screen-model.ts';
import { slashCommands } from './slash-commands.ts';
import type { TextInput } from './text-input.ts';

/** A way to complete the word before the cursor. */
export type InputCompletion = {
  readonly label: string;
  readonly description: string;
  readonly input: TextInput;
};

const maxCompletions = 8;

/** Lists completions of a command name at the start, or of a file name after `@`; empty if Esc has closed the list. */
export function listCompletions({ ui, descriptor }: ScreenModel): readonly InputCompletion[] {
  if (ui.completion.isClosed) return [];
  const { text, cursor } = ui.input;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  const command = /^\/([a-z-]*)$/i.exec(before);
  if (command !== null && after === '') return completeCommand(command[1] ?? '');
  const mention = /(?:^|\s)@(\S*)$/u.exec(before);
  return mention === null ? [] : completePath(descriptor.paths, mention[1] ?? '', { before, after });
}

function completeCommand(prefix: string): readonly InputCompletion[] {
  return slashCommands
    .filter(({ name }) => name.startsWith(prefix.toLowerCase()))
    .map(({ name, description }) => ({
      label: `/${name}`,
      description,
      input: { text: `/${name}`, cursor: name.length + 1 },
    }));
}

/** Paths that start with the typed text come first, then those whose name does, then those that contain it. */
function completePath(
  paths: readonly string[],
  typed: string,
  { before, after }: { readonly before: string; readonly after: string },
): readonly InputCompletion[] {
  const sought = typed.toLowerCase();
  const ranks: [string[], string[], string[]] = [[], [], []];
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (lower.startsWith(sought)) ranks[0].push(path);
    else if (lower.slice(lower.lastIndexOf('/') + 1).startsWith(sought)) ranks[1].push(path);
    else if (lower.includes(sought)) ranks[2].push(path);
    if (ranks[0].length >= maxCompletions) break;
  }
  const start = before.slice(0, before.length - typed.length);
  return ranks
    .flat()
    .slice(0, maxCompletions)
    .map((path) => {
      const head = `${start}${path}${after.startsWith(' ') ? '' : ' '}`;
      return { label: path, description: '', input: { text: head + after, cursor: head.length } };
    });
}
