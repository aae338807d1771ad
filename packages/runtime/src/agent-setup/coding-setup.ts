import { join } from 'node:path';
import type { AgentOptions } from '../agent/agent.ts';
import type { Config } from '../config/config.ts';
import { getUserConfigFolder } from '../platform/data-folder.ts';
import { createHooks, type AgentHooks, type HooksOptions } from '../hooks/hooks.ts';
import type { ApprovalStore } from '../mcp/approvals.ts';
import type { McpConnection } from '../mcp/connection.ts';
import type { McpServer } from '../mcp/mcp-server.ts';
import { createPermissionDecider, type PermissionPrompter } from '../permission/decide.ts';
import { createPermissionPolicy } from '../permission/permissions.ts';
import { loadSavedRules } from '../permission/saved-rules.ts';
import { detectSandbox, type DetectedSandbox } from '../sandbox/detect-sandbox.ts';
import type { FolderIndex } from '../search/index-folder.ts';
import type { UserPrompter } from '../tools/ask-user.ts';
import { createCodingTools } from '../tools/coding-tools.ts';
import { applyToolLimits, type LimitsByTool } from '../tools/limits.ts';
import { findTool, type Tool } from '../tools/tool.ts';

/** Handlers for questions to a user. A null handler means that there is no user: the answer is no. */
export type QuestionHandlers = {
  /** Answers whether a call may run. */
  readonly permission: PermissionPrompter;
  /** Answers a question of the model. */
  readonly user: UserPrompter;
};

/** Answers whether these tools of an MCP server, which no one has approved in this version, may be used. */
export type ToolApprover = (server: string, tools: readonly string[]) => Promise<boolean>;

/** What an agent may do besides calling its model. */
export type AgentToolConfig = {
  /** The agent's own tools, besides those for its workspace. */
  readonly tools?: readonly Tool[] | undefined;
  /** Permission mode and rules; the mode is `ask` by default. */
  readonly permissions?: Config['permission'] | undefined;
  /** Where commands run; detected by default. */
  readonly sandbox?: DetectedSandbox | undefined;
  /** Commands and functions that run before tools, after tools and at the end of a turn, and auto-commit. */
  readonly hooks?: Omit<HooksOptions, 'workspace' | 'sandbox' | 'report'> | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
  /** Where approvals of MCP tools are stored; by default in the user's configuration folder. */
  readonly approvals?: ApprovalStore | undefined;
  /** Without it, MCP tools that are not approved are not available. */
  readonly approveTools?: ToolApprover | undefined;
  readonly ask?: QuestionHandlers | undefined;
  /** Command line that runs the tests of the workspace. */
  readonly testCommand?: string | undefined;
  /** Timeout and output limit by tool name. */
  readonly toolLimits?: LimitsByTool | undefined;
  /** Whether the default prompt contains the AGENTS.md files of the project; true by default. */
  readonly projectInstructions?: boolean | undefined;
};

/** What a coding agent needs besides its model and its memory. */
export type CodingSetup = Pick<AgentOptions, 'tools' | 'rules' | 'decide' | 'hooks'> & {
  readonly onEnd: AgentHooks;
  readonly warnings: readonly string[];
  readonly close: () => Promise<void>;
};

type CodingSetupOptions = AgentToolConfig & {
  /** The indexed workspace; null for an agent without file tools. */
  readonly folder: FolderIndex | null;
  /** Tools for the agent's own phase plan; they have no other effects. */
  readonly phases: readonly Tool[];
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
};

/** Sets up everything needed to work on a project: tools, permission rules, sandbox, hooks and MCP servers. */
export async function createCodingSetup(options: CodingSetupOptions): Promise<CodingSetup> {
  const { folder, report } = options;
  const root = folder?.root ?? process.cwd();
  const sandbox = options.sandbox ?? (await detectSandbox());
  const servers = await connectApprovedServers(options);
  const allTools = [
    ...createWorkspaceTools(options, sandbox),
    ...applyToolLimits(
      [...servers.connections.flatMap(({ tools }) => tools), ...(options.tools ?? [])],
      options.toolLimits,
    ),
  ];
  const { mode = 'ask', rules = [] } = options.permissions ?? {};
  const savedRules = loadSavedRules(root);
  const permissions = createPermissionPolicy({
    mode,
    rules: [...rules, ...savedRules.rules],
    root,
    tools: [...allTools, ...options.phases],
    sandboxed: sandbox.kind !== 'none',
  });
  const hooks = await createHooks({ workspace: root, ...options.hooks, sandbox, report });
  const guarded = hooks.guard({
    rules: permissions.rules,
    decide: createPermissionDecider({
      permissions,
      ask: options.ask?.permission ?? null,
      preview: async ({ tool, args }) => (await findTool(allTools, tool)?.preview?.(args)) ?? null,
      onRule: (rule) => savedRules.save(rule),
    }),
  });
  // Without a workspace there is no tool that runs commands.
  const sandboxProblem = folder === null ? null : sandbox.problem;
  return {
    tools: permissions.guard(allTools),
    ...guarded,
    hooks: hooks.afterTools,
    onEnd: hooks,
    warnings: [
      ...[sandboxProblem, permissions.warning].filter((line) => line !== null),
      ...servers.warnings,
      ...savedRules.problems,
    ],
    async close() {
      await hooks.waitUntilIdle();
      await Promise.all(servers.connections.map((connection) => connection.close()));
    },
  };
}

function createWorkspaceTools(
  { folder, ask, testCommand, toolLimits }: CodingSetupOptions,
  sandbox: DetectedSandbox,
): readonly Tool[] {
  if (folder === null) return [];
  return createCodingTools({
    folder,
    sandbox,
    ask: ask?.user ?? null,
    ...(testCommand !== undefined && { testCommand }),
    ...(toolLimits !== undefined && { limits: toolLimits }),
  });
}

/** Connects to the MCP servers; tools that the user has not approved in this version are hidden from the model. */
async function connectApprovedServers({
  mcpServers = [],
  approvals,
  approveTools = async () => false,
  signal,
}: CodingSetupOptions): Promise<{
  readonly connections: readonly McpConnection[];
  readonly warnings: readonly string[];
}> {
  if (mcpServers.length === 0) return { connections: [], warnings: [] };
  // Loaded only with servers: the MCP client is large.
  const { connectMcpServers } = await import('../mcp/connect-mcp.ts');
  const { connections, failures } = await connectMcpServers(mcpServers, {
    approvals: approvals ?? (await openUserApprovals()),
    signal,
  });
  const warnings = failures.map(({ message }) => message);
  for (const connection of connections) {
    warnings.push(...connection.problems);
    if (connection.reviews.length === 0) continue;
    const names = connection.reviews.map(({ name }) => name);
    if (await approveTools(connection.name, names)) await connection.approve(connection.reviews);
    else
      warnings.push(
        `${connection.name}: tools not approved and therefore not available: ${names.join(', ')}`,
      );
  }
  return { connections, warnings };
}

async function openUserApprovals(): Promise<ApprovalStore> {
  const { createFileApprovalStore } = await import('../mcp/approvals-file.ts');
  return createFileApprovalStore(join(getUserConfigFolder(), 'mcp-approvals.json'));
}
