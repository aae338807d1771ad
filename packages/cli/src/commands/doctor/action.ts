import process from 'node:process';
import { exitCodes, type ExitCode } from '../../exit-codes.ts';
import type { CommandIo } from '../../command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { checkMachine, type DoctorCheck, type DoctorMachine } from './checks.ts';

export type DoctorOptions = { readonly json?: boolean | undefined };

function describeMachine(): DoctorMachine {
  const { env, platform, versions } = process;
  return { env, platform, cwd: process.cwd(), nodeVersion: versions.node, timeoutMs: 5_000 };
}

/** Reports what this machine has and lacks; the exit code says whether every requirement is met. */
export async function runDoctor(
  { json }: DoctorOptions,
  io: CommandIo,
  machine: DoctorMachine = describeMachine(),
): Promise<ExitCode> {
  const checks = await checkMachine(machine);
  const ok = checks.every((check) => check.ok || !check.needed);
  io.stdout.write(
    json === true ? `${JSON.stringify({ ok, checks }, null, 2)}\n` : formatDoctorReport(checks, ok),
  );
  return ok ? exitCodes.finished : exitCodes.failed;
}

function formatDoctorReport(checks: readonly DoctorCheck[], ok: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, found, advice, ...check }) => [
    `${formatCheckStatus(check)}  ${name.padEnd(width)}  ${sanitizeOneLine(found)}`,
    ...(advice === null ? [] : [`${' '.repeat(width + 11)}${sanitizeOneLine(advice)}`]),
  ]);
  const conclusion = ok ? 'All requirements are met.' : 'Some requirements are not met.';
  return `${[...lines, '', conclusion].join('\n')}\n`;
}

function formatCheckStatus({ ok, needed }: Pick<DoctorCheck, 'ok' | 'needed'>): string {
  if (ok) return 'ok     ';
  return needed ? 'MISSING' : 'absent ';
}
