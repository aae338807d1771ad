import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Level } from '@pawl/core';
import { findConfig, readConfigFile, readProfileFile, trustStore } from '@pawl/runtime';
import type { Learnt, Proposal } from '../learn/learn.ts';
import { UsageError } from '../usage-error.ts';
import { writeWhole } from '../whole-file.ts';
import { contentsOf } from './config-layers.ts';
import { isOwnFile } from './own-file.ts';

/** What `--apply` writes in the folder. */
const presetName = 'pawl.learned.yaml';

const mark = '# Made by pawl learn';

/** Whether a profile is one that was learnt before. */
export function isLearnt(path: string): Promise<boolean> {
  return isOwnFile(path, mark);
}

/** A profile with what was learnt, as YAML. */
export function presetText({ data }: Learnt, { changes, harmBound }: Proposal): string {
  const rules = Map.groupBy(changes, ({ rule }) => rule);
  const lines = [...rules].map(([rule, all]) => {
    const thresholds = all.map(({ level, to }) => `${level}: ${to}`).join(', ');
    return `    ${rule}: { ${thresholds} }`;
  });
  const why = changes.map(
    ({ rule, level, from, to }) => `# ${rule}: ${levelText[level]} at ${to} instead of ${from}`,
  );
  return [
    `${mark} from ${data.runs} runs of ${data.sources} ${data.sources === 1 ? 'source' : 'sources'}: ${data.solved} solved, ${data.unsolved} not.`,
    ...why,
    `# On runs held out, solved runs that would be ended: at most ${(100 * harmBound).toFixed(1)} % (95 %).`,
    'name: learned',
    'description: The default, with thresholds that past runs speak for.',
    'extends: pawl',
    'governor:',
    '  rules:',
    ...lines,
    '',
  ].join('\n');
}

const levelText: Readonly<Record<Level, string>> = {
  advise: 'advises',
  refuse: 'refuses the call',
  ask: 'asks a person',
  finish: 'ends the work',
};

/** Writes the profile, and reads it back so that nobody is left with one that cannot be used. */
export async function writePreset(path: string, text: string, force: boolean): Promise<void> {
  if (!/\.ya?ml$/i.test(path)) {
    throw new UsageError(`--write takes a file that ends in .yaml, and got ${JSON.stringify(path)}.`);
  }
  await writeWhole(path, text, force || (await isLearnt(path)));
  await readProfileFile(path);
}

/**
 * Lets a folder work by what was learnt: the profile, and a configuration that names it. One that is there already is the
 * user's, and stays as it is: it must name the profile itself.
 */
export async function applyPreset(folder: string, text: string, force: boolean): Promise<string> {
  const path = join(folder, presetName);
  const config = await findConfig(folder);
  const named = config === null ? path : (await readConfigFile(config)).config.profile;
  if (named === undefined || resolve(folder, named) !== path) {
    throw new UsageError(
      `There is a configuration already: ${JSON.stringify(config)}. Write the profile with --write ${presetName}, and put profile: ./${presetName} into the configuration yourself.`,
    );
  }
  await writePreset(path, text, force);
  if (config === null) await writeConfig(folder);
  return path;
}

/** Whoever has it written here trusts it, as with `pawl init`. */
async function writeConfig(folder: string): Promise<void> {
  const path = join(folder, 'pawl.config.yaml');
  const text = `# Written by pawl learn --apply. \`pawl config show\` tells what holds.\nprofile: ./${presetName}\n`;
  await writeFile(path, text, { flag: 'wx' });
  await trustStore().trust(folder, contentsOf(await readConfigFile(path)));
}
