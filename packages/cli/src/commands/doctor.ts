import process from 'node:process';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { visibleLine } from '../visible.ts';
import type { Check } from './doctor-check.ts';
import { checkMachine, type Machine } from './doctor-checks.ts';

export type DoctorOptions = { readonly json?: boolean | undefined };

function thisMachine(): Machine {
  const { env, platform, versions } = process;
  return { env, platform, cwd: process.cwd(), nodeVersion: versions.node, timeoutMs: 5_000 };
}

/** Tells what this machine has and what it lacks. The exit code says whether everything that is needed is there. */
export async function doctor(
  { json }: DoctorOptions,
  io: Io,
  machine: Machine = thisMachine(),
): Promise<ExitCode> {
  const checks = await checkMachine(machine);
  const ok = checks.every((check) => check.ok || !check.needed);
  io.stdout.write(json === true ? `${JSON.stringify({ ok, checks }, null, 2)}\n` : report(checks, ok));
  return ok ? exitCodes.finished : exitCodes.failed;
}

function report(checks: readonly Check[], ok: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, found, advice, ...check }) => [
    `${markOf(check)}  ${name.padEnd(width)}  ${visibleLine(found)}`,
    ...(advice === null ? [] : [`${' '.repeat(width + 11)}${visibleLine(advice)}`]),
  ]);
  const end = ok ? 'Everything that is needed is there.' : 'Something that is needed is missing.';
  return `${[...lines, '', end].join('\n')}\n`;
}

function markOf({ ok, needed }: Pick<Check, 'ok' | 'needed'>): string {
  if (ok) return 'ok     ';
  return needed ? 'MISSING' : 'without';
}
