import { join } from 'node:path';
import {
  createCodingTools,
  connectMcpServers,
  createFileApprovalStore,
  createPermissionDecider,
  createHooks,
  createPermissionPolicy,
  detectSandbox,
  getUserConfigFolder,
  applyToolLimits,
  type AgentOptions,
  type Config,
  type FolderIndex,
  type AgentHooks,
  type McpConnection,
  type Tool,
} from '@pawl/runtime';
import { loadSavedRules } from '../saved-rules.ts';
import { askConfirmation, type TerminalPrompt } from '../terminal-prompt.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import type { QuestionHandlers } from './run-view.ts';

/** What a coding agent needs besides its model and its memory. */
export type CodingSetup = Pick<AgentOptions, 'tools' | 'rules' | 'decide' | 'hooks'> & {
  readonly prompt: string;
  /** Whether a user can be asked. */
  readonly attended: boolean;
  readonly onEnd: AgentHooks;
  readonly warnings: readonly string[];
  close(): Promise<void>;
};

type CodingSetupOptions = {
  readonly folder: FolderIndex;
  readonly config: Config;
  readonly terminal: TerminalPrompt | null;
  readonly asks: QuestionHandlers;
  /** Tools for the agent's own phase plan; they have no other effects. */
  readonly phases: readonly Tool[];
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
};

const codingPrompt = `You work in a folder for somebody who asked you to do something there. Find out before you act: search and read
first. Take small steps, check each one, and use the tests where there are any. Change only what the task asks for. When the
task is done, or cannot be done, call finish with an answer that says what you did and what is left.`;

/** Sets up everything needed to work on a project: tools, permission rules, sandbox, hooks and MCP servers. */
export async function createCodingSetup(work: CodingSetupOptions): Promise<CodingSetup> {
  const { folder, config, terminal, asks, phases, signal, report } = work;
  const { root } = folder;
  const sandbox = await detectSandbox();
  const servers = await connectApprovedServers(config, terminal, signal);
  const own = createCodingTools({
    folder,
    sandbox,
    ask: asks.user,
    ...(config.testCommand !== undefined && { testCommand: config.testCommand }),
    ...(config.toolLimits !== undefined && { limits: config.toolLimits }),
  });
  const theirs = applyToolLimits(
    servers.connections.flatMap(({ tools }) => tools),
    config.toolLimits,
  );
  const all: readonly Tool[] = [...own, ...theirs];
  const sandboxed = sandbox.kind !== 'none';
  const { mode = 'ask', rules = [] } = config.permission ?? {};
  const kept = loadSavedRules(root);
  const permissions = createPermissionPolicy({
    mode,
    rules: [...rules, ...kept.rules],
    root,
    tools: [...all, ...phases],
    sandboxed,
  });
  const hooks = await createHooks({ workspace: root, ...config.hooks, sandbox, report });
  const guarded = hooks.guard({
    rules: permissions.rules,
    decide: createPermissionDecider({ permissions, ask: asks.permission, onRule: (rule) => kept.keep(rule) }),
  });
  return {
    tools: permissions.guard(all),
    ...guarded,
    hooks: hooks.afterTools,
    prompt: codingPrompt,
    attended: asks.permission !== null,
    onEnd: hooks,
    warnings: [
      ...(sandbox.problem === null ? [] : [sandbox.problem]),
      ...(permissions.warning === null ? [] : [permissions.warning]),
      ...servers.warnings,
      ...kept.problems,
    ],
    async close() {
      await hooks.waitUntilIdle();
      await Promise.all(servers.connections.map((connection) => connection.close()));
    },
  };
}

/** Connects to the MCP servers; tools that the user has not approved in this version are hidden from the model. */
async function connectApprovedServers(
  { mcpServers = [] }: Config,
  terminal: TerminalPrompt | null,
  signal: AbortSignal,
): Promise<{ readonly connections: readonly McpConnection[]; readonly warnings: readonly string[] }> {
  if (mcpServers.length === 0) return { connections: [], warnings: [] };
  const approvals = createFileApprovalStore(join(getUserConfigFolder(), 'mcp-approvals.json'));
  const { connections, failures } = await connectMcpServers(mcpServers, { approvals, signal });
  const warnings = failures.map(({ message }) => message);
  for (const connection of connections) {
    warnings.push(...connection.problems);
    if (connection.reviews.length === 0) continue;
    const names = connection.reviews.map(({ name }) => sanitizeOneLine(name)).join(', ');
    const question = `The server ${sanitizeOneLine(connection.name)} offers tools you have not approved: ${names}. Approve them?`;
    if (await askConfirmation(terminal, question)) await connection.approve(connection.reviews);
    else warnings.push(`${connection.name}: not approved and left out: ${names}`);
  }
  return { connections, warnings };
}
