import { defaultSettings, type SessionSettings } from '@pawl/core';
import { findProfile, builtInProfiles, type Profile } from '@pawl/core/profiles';
import { exitCodes, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { resolveProfileOption } from '../../options/load-config.ts';

type ProfilesOptions = { readonly json?: boolean | undefined };

/** Lists the built-in profiles with their main differences. */
export function listProfiles({ json }: ProfilesOptions, io: CommandIo): ExitCode {
  const rows = builtInProfiles.map(summarizeProfile);
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

/** Shows all settings of a built-in profile or of a profile file. */
export async function showProfile(name: string, { json }: ProfilesOptions, io: CommandIo): Promise<ExitCode> {
  const profile = await resolveProfileOption(name);
  const settings: SessionSettings = { ...defaultSettings, ...profile.settings };
  io.stdout.write(
    json === true
      ? `${JSON.stringify({ ...summarizeProfile(profile), settings }, null, 2)}\n`
      : formatProfile(profile, settings),
  );
  return exitCodes.finished;
}

type ProfileSummary = Omit<Profile, 'settings'> & {
  readonly builtIn: boolean;
  readonly chart: string | null;
  readonly governor: SessionSettings['governor']['preset'];
};

function summarizeProfile({ settings, ...profile }: Profile): ProfileSummary {
  const { chart, governor } = { ...defaultSettings, ...settings };
  const builtIn = findProfile(profile.name) !== undefined;
  return { ...profile, builtIn, chart: chart?.name ?? null, governor: governor.preset };
}

function formatProfile(
  { name, description, protocol, terminal }: Profile,
  settings: SessionSettings,
): string {
  const { chart, governor, memory, budgets, ...rest } = settings;
  const { preset, ...changes } = governor;
  const rows: readonly (readonly [string, string])[] = [
    ['protocol', protocol],
    ['ends in', terminal.join(', ')],
    [
      'chart',
      chart === null ? 'none' : `${chart.name}: ${chart.states.map((state) => state.name).join(', ')}`,
    ],
    ['governor', [preset, ...formatSettingsParts(changes)].join('; ')],
    ['memory', memory === null ? 'none' : formatSettingsParts(memory).join('; ')],
    ['budgets', budgets === null ? 'none' : formatSettingsParts(budgets).join('; ')],
    ...Object.entries(rest).map(([key, value]) => [key, JSON.stringify(value)] as const),
  ];
  const width = Math.max(...rows.map(([key]) => key.length));
  const lines = rows.map(([key, value]) => `${key.padEnd(width)}  ${sanitizeOneLine(value)}`);
  return `${[`${sanitizeOneLine(name)}: ${sanitizeOneLine(description)}`, '', ...lines].join('\n')}\n`;
}

/** Formats the settings of one section; unset values are omitted. */
function formatSettingsParts(part: object): readonly string[] {
  return Object.entries(part)
    .map(([key, value]: [string, unknown]) => [key, JSON.stringify(value)] as const)
    .filter(([, value]) => value !== undefined && !['null', '{}', '[]'].includes(value))
    .map(([key, value]) => `${key} ${value}`);
}
