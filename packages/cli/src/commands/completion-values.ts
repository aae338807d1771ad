import type { Argument, Option } from 'commander';
import { profiles, trackerPresets } from '@pawl/core';
import { modelSpecs, permissionModes } from '@pawl/runtime';
import { chartFormats, chartNames } from './chart.ts';
import { initFormats } from './init-text.ts';
import { hosts } from '../hook/hosts.ts';
import { auditFormats } from './audit-options.ts';
import { exportForms } from './export.ts';
import { stateForms } from './pipe-answer.ts';

/** What can stand in a place. */
export type Values =
  | { readonly kind: 'none' | 'file' | 'folder' | 'session' }
  /** One of these; with `orFile`, or the name of a file. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly orFile: boolean };

const profileNames = words(
  profiles.map(({ name }) => name),
  'or-file',
);

const hostNames = words(hosts.map(({ name }) => name));

/** Of a model only the beginning is known. */
const models = words(modelSpecs.map((spec) => spec.replace(/:[A-Z]+$/, ':')));

/** What follows a flag, where its placeholder alone does not say; `*` is any command. */
export const flagValues: ReadonlyMap<string, Values> = new Map([
  ['* --profile', profileNames],
  ['* --model', models],
  ['* --mode', words(permissionModes)],
  ['* --store', words(['user', 'workspace', 'none'], 'or-file')],
  ['pawl init --format', words(initFormats)],
  ['pawl chart --format', words(chartFormats)],
  ['pawl audit --format', words(auditFormats)],
  ['pawl audit --preset', words(trackerPresets)],
  ['pawl export --as', words(exportForms)],
  ['pawl pipe --state', words(stateForms)],
]);

/** What a command takes as its first word, where the placeholder alone does not say. */
export const wordValues: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['pawl chart', words(chartNames, 'or-file')],
  ['pawl diff', { kind: 'session' }],
  ['pawl profiles show', profileNames],
  ['pawl completion', words(['bash', 'zsh', 'fish', 'sessions'])],
  ['pawl hook install', hostNames],
  ['pawl hook remove', hostNames],
]);

function words(list: readonly string[], orFile?: 'or-file'): Values {
  return { kind: 'words', words: list, orFile: orFile !== undefined };
}

export function valuesOfOption(path: string, { long, flags, argChoices }: Option): Values {
  if (argChoices !== undefined) return words(argChoices);
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
  return (
    flagValues.get(`${path} ${long ?? ''}`) ??
    flagValues.get(`* ${long ?? ''}`) ??
    placeholderValues(placeholder)
  );
}

export function valuesOfArgument(path: string, argument: Argument): Values {
  if (argument.argChoices !== undefined) return words(argument.argChoices);
  return wordValues.get(path) ?? placeholderValues(argument.name());
}

function placeholderValues(name: string): Values {
  if (name === 'file' || name === 'from') return { kind: 'file' };
  if (name === 'folder') return { kind: 'folder' };
  if (name === 'session') return { kind: 'session' };
  return { kind: 'none' };
}
