import { parseArgs } from 'node:util';
import { hostClients, type HostClient } from './clients.ts';
import { installClient, type InstalledClient } from './install-client.ts';
import { findRunFault } from './judge-run.ts';
import { runClient, type ClientRun, type GovernedBy } from './run-client.ts';
import { hostScripts, type HostScript } from './scripts.ts';

const help = `Usage: npm run test:hosts -- [--client <name>]... [--governed-by <nothing|proxy|hook>]... [--json]

Installs real coding agents from npm and runs each on looping and on healthy scripts against a local model server, which
ignores advice and validates what it receives: without the governor, through pawl proxy, and with the hooks of pawl hook.
The exit code is 1 if a loop is not ended in time with an answer, or if healthy work is disturbed.

  --client <name>       ${hostClients.map(({ name }) => name).join(', ')}; all if absent
  --governed-by <kind>  nothing, proxy or hook; all if absent
  --json                print one JSON object per run
  --help                show this help`;

const kinds: readonly GovernedBy[] = ['nothing', 'proxy', 'hook'];

const { values } = parseArgs({
  options: {
    client: { type: 'string', multiple: true },
    'governed-by': { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(help);
else process.exitCode = await runHosts();

async function runHosts(): Promise<number> {
  const rows: string[] = [];
  let faults = 0;
  for (const client of selectByName(hostClients, values.client, ({ name }) => name)) {
    const installed = await installClient(client);
    if (typeof installed === 'string') {
      rows.push(
        `| ${client.title} | | cannot be installed: ${installed} ${'| '.repeat(hostScripts.length + 1)}`,
      );
      continue;
    }
    for (const governedBy of selectByName(kinds, values['governed-by'], (kind) => kind)) {
      if (governedBy === 'hook' && client.hook === null) continue;
      const runs = await runScripts(client, installed, governedBy);
      faults += runs.filter(({ fault }) => fault !== null).length;
      rows.push(
        `| ${client.title} | ${installed.version} | ${governedBy} | ${runs.map(({ cell }) => cell).join(' | ')} |`,
      );
    }
  }
  if (!values.json) console.log(formatTable(rows));
  return faults === 0 ? 0 : 1;
}

type JudgedRun = { readonly cell: string; readonly fault: string | null };

async function runScripts(
  client: HostClient,
  { folder }: InstalledClient,
  governedBy: GovernedBy,
): Promise<readonly JudgedRun[]> {
  const judged: JudgedRun[] = [];
  for (const script of hostScripts) {
    const run = await runClient(client, script, { governedBy, folder });
    const fault = findRunFault(run, script);
    judged.push({ cell: formatCell(run, fault), fault });
    reportRun(run, script, fault);
  }
  return judged;
}

function reportRun(run: ClientRun, { name }: HostScript, fault: string | null): void {
  if (values.json) console.log(JSON.stringify({ ...run, fault }));
  else {
    const seconds = (run.durationMs / 1_000).toFixed(1);
    console.error(
      `${run.client}, ${run.governedBy}, ${name}: ${run.requests} requests, ${seconds} s${fault === null ? '' : `: ${fault}`}`,
    );
  }
}

function formatCell({ requests, hasAnswer, isTimedOut }: ClientRun, fault: string | null): string {
  const text = hasAnswer ? String(requests) : `${requests}, ${isTimedOut ? 'killed' : 'stopped'}`;
  return fault === null ? text : `**${text}**`;
}

function formatTable(rows: readonly string[]): string {
  const names = hostScripts.map(({ name }) => name);
  return [
    `| agent | version | governed by | ${names.join(' | ')} |`,
    `| --- | --- | --- | ${names.map(() => '--:').join(' | ')} |`,
    ...rows,
  ].join('\n');
}

function selectByName<Item>(
  items: readonly Item[],
  names: readonly string[] | undefined,
  getName: (item: Item) => string,
): readonly Item[] {
  if (names === undefined) return items;
  const unknown = names.find((name) => !items.some((item) => getName(item) === name));
  if (unknown !== undefined)
    throw new Error(`There is no ${JSON.stringify(unknown)}. There are: ${items.map(getName).join(', ')}.`);
  return items.filter((item) => names.includes(getName(item)));
}
