import { defaultSettings, findProfile, profiles, type Profile, type Settings } from '@pawl/core';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import { profileNamed } from './profile-option.ts';

type Options = { readonly json?: boolean | undefined };

/** The profiles that are built in, each with what sets it apart. */
export function listProfiles({ json }: Options, io: Io): ExitCode {
  const rows = profiles.map(rowOf);
  if (json === true) {
    for (const row of rows) io.stdout.write(`${JSON.stringify(row)}\n`);
    return exitCodes.finished;
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, description, chart, governor, protocol } of rows) {
    const parts = [
      `governor ${governor}`,
      ...(chart === null ? [] : [`chart ${chart}`]),
      `protocol ${protocol}`,
    ];
    io.stdout.write(`${name.padEnd(width)}  ${description}\n${' '.repeat(width)}  ${parts.join(', ')}\n`);
  }
  return exitCodes.finished;
}

/** Everything that a profile decides: one that is built in, or that of a file. */
export async function showProfile(name: string, { json }: Options, io: Io): Promise<ExitCode> {
  const profile = await profileNamed(name);
  const settings: Settings = { ...defaultSettings, ...profile.settings };
  io.stdout.write(
    json === true ? `${JSON.stringify({ ...rowOf(profile), settings }, null, 2)}\n` : told(profile, settings),
  );
  return exitCodes.finished;
}

/** A profile in short. */
type ProfileRow = Omit<Profile, 'settings'> & {
  readonly builtIn: boolean;
  readonly chart: string | null;
  readonly governor: Settings['governor']['preset'];
};

function rowOf({ settings, ...profile }: Profile): ProfileRow {
  const { chart, governor } = { ...defaultSettings, ...settings };
  const builtIn = findProfile(profile.name) !== undefined;
  return { ...profile, builtIn, chart: chart?.name ?? null, governor: governor.preset };
}

function told({ name, description, protocol, terminal }: Profile, settings: Settings): string {
  const { chart, governor, memory, budgets, ...rest } = settings;
  const { preset, ...changes } = governor;
  const rows: readonly (readonly [string, string])[] = [
    ['protocol', protocol],
    ['ends in', terminal.join(', ')],
    [
      'chart',
      chart === null ? 'none' : `${chart.name}: ${chart.states.map((state) => state.name).join(', ')}`,
    ],
    ['governor', [preset, ...partsOf(changes)].join('; ')],
    ['memory', memory === null ? 'none' : partsOf(memory).join('; ')],
    ['budgets', budgets === null ? 'none' : partsOf(budgets).join('; ')],
    ...Object.entries(rest).map(([key, value]) => [key, JSON.stringify(value)] as const),
  ];
  const width = Math.max(...rows.map(([key]) => key.length));
  const lines = rows.map(([key, value]) => `${key.padEnd(width)}  ${visibleLine(value)}`);
  return `${[`${visibleLine(name)}: ${visibleLine(description)}`, '', ...lines].join('\n')}\n`;
}

/** What is set in a part of the settings; what says nothing is left out. */
function partsOf(part: object): readonly string[] {
  return Object.entries(part)
    .map(([key, value]: [string, unknown]) => [key, JSON.stringify(value)] as const)
    .filter(([, value]) => value !== undefined && !['null', '{}', '[]'].includes(value))
    .map(([key, value]) => `${key} ${value}`);
}
