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
  loadSavedRules,
  applyToolLimits,
  type AgentOptions,
  type Config,
  type FolderIndex,
  type AgentHooks,
  type McpConnection,
  type Tool,
} from '@pawl/runtime';
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

const codingPrompt = `You are a coding agent that works in a project folder for the user. Investigate before you act: search and read first.
Work in small steps, verify each one, and run the tests if there are any. Change only what the task requires. When the task
is done, or cannot be done, call finish with an answer that states what you did and what remains to be done.`;

/** Sets up everything needed to work on a project: tools, permission rules, sandbox, hooks and MCP servers. */
export async function createCodingSetup(options: CodingSetupOptions): Promise<CodingSetup> {
  const { folder, config, terminal, asks, phases, signal, report } = options;
  const { root } = folder;
  const sandbox = await detectSandbox();
  const servers = await connectApprovedServers(config, terminal, signal);
  const codingTools = createCodingTools({
    folder,
    sandbox,
    ask: asks.user,
    ...(config.testCommand !== undefined && { testCommand: config.testCommand }),
    ...(config.toolLimits !== undefined && { limits: config.toolLimits }),
  });
  const serverTools = applyToolLimits(
    servers.connections.flatMap(({ tools }) => tools),
    config.toolLimits,
  );
  const allTools: readonly Tool[] = [...codingTools, ...serverTools];
  const { mode = 'ask', rules = [] } = config.permission ?? {};
  const savedRules = loadSavedRules(root);
  const permissions = createPermissionPolicy({
    mode,
    rules: [...rules, ...savedRules.rules],
    root,
    tools: [...allTools, ...phases],
    sandboxed: sandbox.kind !== 'none',
  });
  const hooks = await createHooks({ workspace: root, ...config.hooks, sandbox, report });
  const guarded = hooks.guard({
    rules: permissions.rules,
    decide: createPermissionDecider({
      permissions,
      ask: asks.permission,
      onRule: (rule) => savedRules.keep(rule),
    }),
  });
  return {
    tools: permissions.guard(allTools),
    ...guarded,
    hooks: hooks.afterTools,
    prompt: codingPrompt,
    attended: asks.permission !== null,
    onEnd: hooks,
    warnings: [
      ...(sandbox.problem === null ? [] : [sandbox.problem]),
      ...(permissions.warning === null ? [] : [permissions.warning]),
      ...servers.warnings,
      ...savedRules.problems,
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
    const question = `The MCP server ${sanitizeOneLine(connection.name)} offers tools that you have not approved: ${names}. Approve them?`;
    if (await askConfirmation(terminal, question)) await connection.approve(connection.reviews);
    else warnings.push(`${connection.name}: tools not approved and therefore not available: ${names}`);
  }
  return { connections, warnings };
}
