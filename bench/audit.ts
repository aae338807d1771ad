import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { writeAgentSessions } from './audit/agent-sessions.ts';
import { createLowerAim, formatAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { formatSignificant, formatSpread } from './lib/format-figures.ts';
import { collectGarbage } from './lib/memory.ts';
import { readBenchOptions } from './lib/options.ts';
import { summarizeSamples, type SampleSummary } from './lib/statistics.ts';
import { formatBenchTable } from './lib/table.ts';

const help = `Usage: node bench/audit.ts [--quick] [--json]

Measures how many megabytes of recorded runs pawl audit reads and judges per second of processor time. It generates
sessions of coding agents in a temporary folder. PAWL_BENCH_TRACES=<folder> measures the files of a folder instead.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const megabytesPerSecondMin = 60;

type AuditAction = {
  readonly auditFiles: (
    files: readonly string[],
    options: { readonly format: string; readonly quiet: boolean },
    io: { readonly stdin: PassThrough; readonly stdout: Writable; readonly stderr: Writable },
  ) => Promise<number>;
};

const options = readBenchOptions(help);
if (options !== null) {
  const temporary = mkdtempSync(join(tmpdir(), 'pawl-bench-audit-'));
  try {
    const given = process.env['PAWL_BENCH_TRACES'] ?? '';
    if (given === '') writeAgentSessions(temporary, (options.quick ? 2 : 64) * 1e6);
    const measured = await measureAudit(given === '' ? temporary : given, options.quick ? 2 : 6);
    console.log(options.json ? JSON.stringify(measured, null, 2) : formatAuditReport(measured));
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

type AuditBenchResult = {
  readonly environment: ReturnType<typeof readBenchMachine>;
  readonly megabytes: number;
  /** Megabytes per second of processor time. */
  readonly firstAudit: number;
  readonly laterAudits: SampleSummary;
  /** Heap after the first and after the last audit. */
  readonly heapMegabytes: readonly number[];
  readonly aims: readonly ReturnType<typeof createLowerAim>[];
};

async function measureAudit(folder: string, rounds: number): Promise<AuditBenchResult> {
  const { auditFiles } = (await import(
    new URL('../packages/cli/src/commands/audit/action.ts', import.meta.url).href
  )) as AuditAction;
  const megabytes = measureFolder(folder) / 1e6;
  const rates: number[] = [];
  const heapMegabytes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    await auditFiles([folder], { format: 'report', quiet: false }, createSilentStreams());
    const { user, system } = process.cpuUsage(start);
    rates.push(megabytes / ((user + system) / 1e6));
    if (round > 0 && round < rounds - 1) continue;
    collectGarbage();
    heapMegabytes.push(process.memoryUsage().heapUsed / 1e6);
  }
  const [firstAudit = Number.NaN, ...later] = rates;
  const laterAudits = summarizeSamples(later);
  const aim = 'megabytes of recorded runs per second of processor time';
  return {
    environment: readBenchMachine(),
    megabytes,
    firstAudit,
    laterAudits,
    heapMegabytes,
    aims: [createLowerAim(aim, megabytesPerSecondMin, laterAudits.median)],
  };
}

function createSilentStreams(): Parameters<AuditAction['auditFiles']>[2] {
  return { stdin: new PassThrough(), stdout: createSink(), stderr: createSink() };
}

function createSink(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function measureFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((total, stats) => total + (stats.isFile() ? stats.size : 0), 0);
}

function formatAuditReport({
  megabytes,
  firstAudit,
  laterAudits,
  heapMegabytes,
  aims,
}: AuditBenchResult): string {
  const rows = [
    ['first audit of a process', formatSignificant(firstAudit), ''],
    ['later audits', formatSignificant(laterAudits.median), formatSpread(laterAudits)],
  ];
  return [
    `${formatSignificant(megabytes)} MB of recorded runs`,
    formatBenchTable(['`pawl audit`', 'MB per CPU second', 'min..max'], rows),
    `Heap after the first and the last audit: ${heapMegabytes.map((size) => formatSignificant(size)).join(' and ')} MB`,
    aims.map(formatAim).join('\n'),
  ].join('\n\n');
}
