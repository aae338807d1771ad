import type { Argument, Command, Option } from 'commander';
import { valuesOfArgument, valuesOfOption, type Values } from './completion-values.ts';

/** A flag as shells complete it. */
export type CompletedFlag = {
  readonly long: string;
  readonly short: string | null;
  readonly description: string;
  /** What may follow it; null when nothing does. */
  readonly values: Values | null;
};

/** A command as shells complete it. `path` begins with the program itself: `pawl memory list`. */
export type CompletedCommand = {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  readonly words: Values;
  readonly commands: readonly CompletedCommand[];
};

/** The commands and flags of a program, whatever they are: taken from it, so that none can be forgotten. */
export function completionTree(command: Command, above = ''): CompletedCommand {
  const path = above === '' ? command.name() : `${above} ${command.name()}`;
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).flatMap((option) => flagOf(option, path)),
    words: wordsOf(command.registeredArguments, path),
    commands: help.visibleCommands(command).map((each) => completionTree(each, path)),
  };
}

/** Every command, those above before those in them. */
export function allCommands(command: CompletedCommand): readonly CompletedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function flagOf(option: Option, path: string): readonly CompletedFlag[] {
  const { long, short, description } = option;
  if (long === undefined || long === null) return [];
  const takes = option.required || option.optional;
  return [{ long, short: short ?? null, description, values: takes ? valuesOfOption(path, option) : null }];
}

function wordsOf(all: readonly Argument[], path: string): Values {
  const [first] = all;
  return first === undefined ? { kind: 'none' } : valuesOfArgument(path, first);
}
