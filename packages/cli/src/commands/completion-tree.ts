import type { Argument, Command, Option } from 'commander';
import { getFirstArgumentValues, getOptionValues, type CompletionValues } from './completion-values.ts';

/** A flag as shells complete it. */
export type CompletionFlag = {
  readonly long: string;
  readonly short: string | null;
  readonly description: string;
  /** Values that may follow the flag; null if it takes none. */
  readonly values: CompletionValues | null;
};

/** A command as shells complete it. `path` starts with the program name: `pawl memory list`. */
export type CompletionCommand = {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletionFlag[];
  readonly words: CompletionValues;
  readonly commands: readonly CompletionCommand[];
};

/** Derives the commands and flags from the program itself, so that none is forgotten. */
export function buildCompletionTree(command: Command, parentPath = ''): CompletionCommand {
  const path = parentPath === '' ? command.name() : `${parentPath} ${command.name()}`;
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).flatMap((option) => toCompletionFlag(option, path)),
    words: getArgumentValues(command.registeredArguments, path),
    commands: help.visibleCommands(command).map((each) => buildCompletionTree(each, path)),
  };
}

/** Lists every command, parents before children. */
export function flattenCommands(command: CompletionCommand): readonly CompletionCommand[] {
  return [command, ...command.commands.flatMap(flattenCommands)];
}

function toCompletionFlag(option: Option, path: string): readonly CompletionFlag[] {
  const { long, short, description } = option;
  if (long === undefined || long === null) return [];
  const takesValue = option.required || option.optional;
  return [
    { long, short: short ?? null, description, values: takesValue ? getOptionValues(path, option) : null },
  ];
}

function getArgumentValues(registered: readonly Argument[], path: string): CompletionValues {
  const [first] = registered;
  return first === undefined ? { kind: 'none' } : getFirstArgumentValues(path, first);
}
