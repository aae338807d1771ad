import type { Argument, Command, Option } from 'commander';
import { builtInProfiles } from '@pawl/core/profiles';
import { trackerPresets } from '@pawl/governor/tracker';
import { modelSpecs } from '@pawl/runtime/models';
import { permissionModes } from '@pawl/runtime/permission';
import { chartFormats, chartNames } from '../chart/action.ts';
import { initFormats } from '../init/text.ts';
import { hookHosts } from '@pawl/gateway/hook';
import { auditFormats } from '../audit/action.ts';
import { exportFormats } from '../export/action.ts';
import { stateFormats } from '../pipe/answer.ts';

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

/** Values that can be completed in a position. */
export type CompletionValues =
  | { readonly kind: 'none' | 'file' | 'folder' | 'session' }
  /** One of these words, or, with `orFile`, a file name. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly orFile: boolean };

const profileNameValues = createWordValues(
  builtInProfiles.map(({ name }) => name),
  'or-file',
);

const hostNameValues = createWordValues(hookHosts.map(({ name }) => name));

/** Only the provider prefix of a model is known. */
const modelValues = createWordValues(modelSpecs.map((spec) => spec.replace(/:[A-Z]+$/, ':')));

/** Values of flags whose placeholder alone does not define them; `*` stands for any command. */
export const flagCompletions: ReadonlyMap<string, CompletionValues> = new Map([
  ['* --profile', profileNameValues],
  ['* --model', modelValues],
  ['* --mode', createWordValues(permissionModes)],
  ['* --store', createWordValues(['user', 'workspace', 'none'], 'or-file')],
  ['pawl init --format', createWordValues(initFormats)],
  ['pawl chart --format', createWordValues(chartFormats)],
  ['pawl audit --format', createWordValues(auditFormats)],
  ['pawl audit --preset', createWordValues(trackerPresets)],
  ['pawl export --as', createWordValues(exportFormats)],
  ['pawl pipe --state', createWordValues(stateFormats)],
]);

/** Values of a command's first argument, if the placeholder alone does not define them. */
export const argumentCompletions: ReadonlyMap<string, CompletionValues> = new Map<string, CompletionValues>([
  ['pawl chart', createWordValues(chartNames, 'or-file')],
  ['pawl diff', { kind: 'session' }],
  ['pawl profiles show', profileNameValues],
  ['pawl completion', createWordValues(['bash', 'zsh', 'fish', 'sessions'])],
  ['pawl hook install', hostNameValues],
  ['pawl hook remove', hostNameValues],
]);

function createWordValues(words: readonly string[], orFile?: 'or-file'): CompletionValues {
  return { kind: 'words', words, orFile: orFile !== undefined };
}

function getOptionValues(path: string, { long, flags, argChoices }: Option): CompletionValues {
  if (argChoices !== undefined) return createWordValues(argChoices);
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
  return (
    flagCompletions.get(`${path} ${long ?? ''}`) ??
    flagCompletions.get(`* ${long ?? ''}`) ??
    getPlaceholderValues(placeholder)
  );
}

function getFirstArgumentValues(path: string, argument: Argument): CompletionValues {
  if (argument.argChoices !== undefined) return createWordValues(argument.argChoices);
  return argumentCompletions.get(path) ?? getPlaceholderValues(argument.name());
}

function getPlaceholderValues(name: string): CompletionValues {
  if (name === 'file' || name === 'from') return { kind: 'file' };
  if (name === 'folder') return { kind: 'folder' };
  if (name === 'session') return { kind: 'session' };
  return { kind: 'none' };
}
