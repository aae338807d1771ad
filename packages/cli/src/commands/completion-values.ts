import type { Argument, Option } from 'commander';
import { builtInProfiles, trackerPresets } from '@pawl/core';
import { modelSpecs, permissionModes } from '@pawl/runtime';
import { chartFormats, chartNames } from './chart.ts';
import { initFormats } from './init-text.ts';
import { hookHosts } from '../hook/hosts.ts';
import { auditFormats } from './audit-options.ts';
import { exportFormats } from './export.ts';
import { stateFormats } from './pipe-answer.ts';

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

export function getOptionValues(path: string, { long, flags, argChoices }: Option): CompletionValues {
  if (argChoices !== undefined) return createWordValues(argChoices);
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
  return (
    flagCompletions.get(`${path} ${long ?? ''}`) ??
    flagCompletions.get(`* ${long ?? ''}`) ??
    getPlaceholderValues(placeholder)
  );
}

export function getFirstArgumentValues(path: string, argument: Argument): CompletionValues {
  if (argument.argChoices !== undefined) return createWordValues(argument.argChoices);
  return argumentCompletions.get(path) ?? getPlaceholderValues(argument.name());
}

function getPlaceholderValues(name: string): CompletionValues {
  if (name === 'file' || name === 'from') return { kind: 'file' };
  if (name === 'folder') return { kind: 'folder' };
  if (name === 'session') return { kind: 'session' };
  return { kind: 'none' };
}
