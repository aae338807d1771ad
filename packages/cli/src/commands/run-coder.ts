import { join } from 'node:path';
import {
  codingTools,
  connectMcpServers,
  createApprovalsFile,
  createDecide,
  createHooks,
  createPermissions,
  findLauncher,
  userConfigFolder,
  withLimits,
  type AgentOptions,
  type Config,
  type FolderIndex,
  type Hooks,
  type McpConnection,
  type Tool,
} from '@pawl/runtime';
import { keptRulesFor } from '../kept-rules.ts';
import { confirms, type Terminal } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import type { Asks } from './run-view.ts';

/** What an agent that changes things works with, besides its model and its memory. */
export type Coder = Pick<AgentOptions, 'tools' | 'rules' | 'decide' | 'hooks'> & {
  readonly prompt: string;
  /** Whether there is somebody to ask. */
  readonly attended: boolean;
  readonly onEnd: Hooks;
  readonly warnings: readonly string[];
  close(): Promise<void>;
};

type Work = {
  readonly folder: FolderIndex;
  readonly config: Config;
  readonly terminal: Terminal | null;
  readonly asks: Asks;
  /** The tools with which the agent moves through its own plan: they touch nothing else. */
  readonly phases: readonly Tool[];
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
};

const prompt = `You work in a folder for somebody who asked you to do something there. Find out before you act: search and read
first. Take small steps, check each one, and use the tests where there are any. Change only what the task asks for. When the
task is done, or cannot be done, call finish with an answer that says what you did and what is left.`;

/** All it takes to work on a project: tools, the rules they run under, a sandbox, hooks and MCP servers. */
export async function setUpCoder(work: Work): Promise<Coder> {
  const { folder, config, terminal, asks, phases, signal, report } = work;
  const { root } = folder;
  const launcher = await findLauncher();
  const servers = await serversOf(config, terminal, signal);
  const own = codingTools({
    folder,
    launcher,
    ask: asks.user,
    ...(config.testCommand !== undefined && { testCommand: config.testCommand }),
    ...(config.toolLimits !== undefined && { limits: config.toolLimits }),
  });
  const theirs = withLimits(
    servers.connections.flatMap(({ tools }) => tools),
    config.toolLimits,
  );
  const all: readonly Tool[] = [...own, ...theirs];
  const sandboxed = launcher.kind !== 'none';
  const { mode = 'ask', rules = [] } = config.permission ?? {};
  const kept = keptRulesFor(root);
  const permissions = createPermissions({
    mode,
    rules: [...rules, ...kept.rules],
    root,
    tools: [...all, ...phases],
    sandboxed,
  });
  const hooks = await createHooks({ workspace: root, ...config.hooks, launcher, report });
  const guarded = hooks.guard({
    rules: permissions.rules,
    decide: createDecide({ permissions, ask: asks.permission, onRule: (rule) => kept.keep(rule) }),
  });
  return {
    tools: permissions.guard(all),
    ...guarded,
    hooks: hooks.afterTools,
    prompt,
    attended: asks.permission !== null,
    onEnd: hooks,
    warnings: [
      ...(launcher.problem === null ? [] : [launcher.problem]),
      ...(permissions.warning === null ? [] : [permissions.warning]),
      ...servers.warnings,
      ...kept.problems,
    ],
    async close() {
      await hooks.settled();
      await Promise.all(servers.connections.map((connection) => connection.close()));
    },
  };
}

/** Connects to the servers; tools that nobody has approved in this version are kept from the model. */
async function serversOf(
  { mcpServers = [] }: Config,
  terminal: Terminal | null,
  signal: AbortSignal,
): Promise<{ readonly connections: readonly McpConnection[]; readonly warnings: readonly string[] }> {
  if (mcpServers.length === 0) return { connections: [], warnings: [] };
  const approvals = createApprovalsFile(join(userConfigFolder(), 'mcp-approvals.json'));
  const { connections, failures } = await connectMcpServers(mcpServers, { approvals, signal });
  const warnings = failures.map(({ message }) => message);
  for (const connection of connections) {
    warnings.push(...connection.problems);
    if (connection.reviews.length === 0) continue;
    const names = connection.reviews.map(({ name }) => visibleLine(name)).join(', ');
    const question = `The server ${visibleLine(connection.name)} offers tools you have not approved: ${names}. Approve them?`;
    if (await confirms(terminal, question)) await connection.approve(connection.reviews);
    else warnings.push(`${connection.name}: not approved and left out: ${names}`);
  }
  return { connections, warnings };
}
