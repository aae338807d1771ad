export { Agent } from './agent.ts';
export type { AgentOptions, Seen, Trouble } from './agent.ts';
export { answerOf } from './answer.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { carryingOut, commandIn } from './commands/carrying-out.ts';
export { commandLimits, commandText, tooManyWait } from './commands/channel.ts';
export type { CommandChannel, SendOptions, Waiting } from './commands/channel.ts';
export { eventFor, readCommand } from './commands/command.ts';
export type { SessionCommand } from './commands/command.ts';
export { createHearing } from './commands/hearing.ts';
export type { Hearing } from './commands/hearing.ts';
export { createMemoryLog } from './event-log.ts';
export type { EventLog } from './event-log.ts';
export { executionId } from './executions/execution-id.ts';
export { createFileSpool } from './executions/file-spool.ts';
export { createMemorySpool } from './executions/spool.ts';
export type { Spool, Spooled } from './executions/spool.ts';
export type { Model, ModelChunk, ModelRequest } from './models/model.ts';
export { createLibrarian } from './models/librarian.ts';
export { createScripted } from './models/scripted.ts';
export type { ScriptedReply } from './models/scripted.ts';
export { nearest } from './nearest.ts';
export { requestFor } from './prompt.ts';
export { answerSchema } from './schema/answer.ts';
export { eventExamples } from './schema/examples.ts';
export { eventsJsonSchema } from './schema/json-schema.ts';
export { parseEvent } from './schema/parse-event.ts';
export type { ParsedEvent } from './schema/parse-event.ts';
export { printAction, printState } from './schema/printed.ts';
export type { PrintedAction, PrintedState } from './schema/printed.ts';
export { indexFolder } from './search/index-folder.ts';
export type { FolderContents, FolderIndex, IndexOptions, IndexProgress } from './search/index-folder.ts';
export { indexLimits } from './search/limits.ts';
export type { IndexLimits } from './search/limits.ts';
export type { Hit, SearchResult } from './search/search.ts';
export type { Skip, SkipReason } from './search/walk.ts';
export { WorkspaceError } from './search/workspace-error.ts';
export type { WorkspaceErrorCode } from './search/workspace-error.ts';
export { librarianTools } from './tools/librarian-tools.ts';
export { finishTool } from './tools/finish.ts';
export { createReadTool } from './tools/read.ts';
export { createSearchTool } from './tools/search.ts';
export { defineTool } from './tools/tool.ts';
export type { Decision, Rules, Unstamped, World } from './work.ts';
export { readTraces } from './traces/read-traces.ts';
export type { ReadTracesOptions } from './traces/read-traces.ts';
export type { TraceItem, TraceReadProblem } from './traces/trace-item.ts';
export { traceLimits } from './traces/trace-limits.ts';
export type { TraceLimits } from './traces/trace-limits.ts';
export { TraceSourceError } from './traces/trace-source-error.ts';
export type { TraceSourceErrorCode } from './traces/trace-source-error.ts';

export { readChartFile } from './charts/read-chart-file.ts';
export { ChartFileError } from './charts/chart-file-error.ts';
export type { ChartFileErrorCode } from './charts/chart-file-error.ts';

export type { Codec, LogName, ProtocolContext } from './protocols/codec.ts';
export type { ModelDecision, Problem, Reply, Said } from './protocols/decision.ts';
export { explainProblems } from './protocols/explain.ts';
export { createFallback } from './protocols/fallback.ts';
export { jsonCodec } from './protocols/json.ts';
export { nativeCodec } from './protocols/native.ts';
export { speakIn } from './protocols/speak.ts';
export type { Manner } from './protocols/speak.ts';
export { xmlCodec } from './protocols/xml.ts';

export { createInMemoryStorage } from './memory/in-memory-storage.ts';
export { openLkjFolder } from './memory/lkj-folder.ts';
export type { LkjFolder } from './memory/lkj-folder.ts';
export { openLkjMemory } from './memory/lkj-memory.ts';
export type { LkjMemoryOptions, LkjMemoryStore } from './memory/lkj-memory.ts';
export { MemoryFileError } from './memory/memory-file-error.ts';
export type { MemoryFileErrorCode } from './memory/memory-file-error.ts';
export { createMemoryFile } from './memory/memory-file.ts';
export type { LoadedFile, MemoryFile } from './memory/memory-file.ts';
export { createMemoryKeeper } from './memory/memory-keeper.ts';
export type { MemoryKeeper, MemoryKeeperOptions } from './memory/memory-keeper.ts';
export { foldedText, hasTags, soughtBy, wordsOfEntry } from './memory/matching.ts';
export type { Sought } from './memory/matching.ts';
export { memoryTools } from './memory/memory-tools.ts';
export { openSqliteStorage } from './memory/sqlite-storage.ts';
export { StorageError } from './memory/storage-error.ts';
export type { StorageErrorCode } from './memory/storage-error.ts';
export { everyEntry, foundLimit, storageLimits } from './memory/storage.ts';
export type { Storage, StorageQuery } from './memory/storage.ts';
export { exportMemory, importMemory } from './memory/transfer.ts';
export { createLkjLibrarian } from './models/lkj-librarian.ts';
export { createPhaseTools } from './tools/phases.ts';
export type { PhaseToolsOptions } from './tools/phases.ts';
export { lazyStorage } from './memory/lazy-storage.ts';
export { ProfileFileError } from './profiles/profile-file-error.ts';
export type { ProfileFileErrorCode } from './profiles/profile-file-error.ts';
export { readProfileFile } from './profiles/read-profile-file.ts';
export { modelLimits } from './models/deadlines.ts';
export type { ModelLimits } from './models/deadlines.ts';
export type { Prices } from './models/prices.ts';
export { createAiSdkModel } from './models/providers/ai-sdk-model.ts';
export type { AiSdkModelOptions } from './models/providers/ai-sdk-model.ts';
export { guardedFetch } from './models/providers/guarded-fetch.ts';
export { modelNamed, modelSpecs } from './models/providers/model-named.ts';
export type { Environment, NamedModelOptions } from './models/providers/model-named.ts';
export { ModelSpecError } from './models/providers/model-spec-error.ts';
export type { ModelSpecErrorCode } from './models/providers/model-spec-error.ts';
export type {
  EffectClass,
  Tool,
  ToolContext,
  Settle,
  ToolExecution,
  Unfinished,
  ToolDefinition,
  ToolDescription,
  ToolLimits,
  ToolResult,
} from './tools/tool.ts';
export { createAskUserTool } from './tools/ask-user.ts';
export type { AskUser, Question } from './tools/ask-user.ts';
export { codingTools } from './tools/coding-tools.ts';
export type { CodingToolsOptions } from './tools/coding-tools.ts';
export { createEditTool } from './tools/edit.ts';
export { createGlobTool } from './tools/glob.ts';
export { withLimits } from './tools/limits.ts';
export type { LimitsByTool } from './tools/limits.ts';
export { createShellTool } from './tools/shell.ts';
export type { CommandOptions } from './tools/shell.ts';
export { createTestTool } from './tools/test-command.ts';
export { createWorkspace } from './tools/workspace.ts';
export type { Workspace } from './tools/workspace.ts';
export { createWriteTool } from './tools/write.ts';
export { createDecide } from './permission/decide.ts';
export type { AskPermission, PermissionAnswer, PermissionQuestion } from './permission/decide.ts';
export { describeCall } from './permission/describe-call.ts';
export { permissionModes } from './permission/modes.ts';
export type { PermissionMode } from './permission/modes.ts';
export { createPermissions } from './permission/permissions.ts';
export type { Explanation, Permissions, PermissionsOptions } from './permission/permissions.ts';
export { formatRule, parseRule } from './permission/rule.ts';
export type { Permission, PermissionRule } from './permission/rule.ts';
export { visible } from './permission/visible.ts';
export { createApprovalsFile } from './mcp/approvals-file.ts';
export { createApprovals } from './mcp/approvals.ts';
export type { Approval, Approvals } from './mcp/approvals.ts';
export { connectMcp, connectMcpServers } from './mcp/connect-mcp.ts';
export type { McpOptions, McpServers } from './mcp/connect-mcp.ts';
export type { McpConnection } from './mcp/connection.ts';
export { McpError } from './mcp/mcp-error.ts';
export type { McpErrorCode } from './mcp/mcp-error.ts';
export { mcpLimits } from './mcp/mcp-server.ts';
export type { McpCommandServer, McpLimits, McpServer, McpUrlServer } from './mcp/mcp-server.ts';
export type { ToolReview } from './mcp/tool-book.ts';
export { withAgentKeys } from './config/agent-keys.ts';
export type { ProfileWithKeys } from './config/agent-keys.ts';
export { ConfigFileError } from './config/config-file-error.ts';
export type { ConfigFileErrorCode } from './config/config-file-error.ts';
export { configFromEnvironment, configVariables } from './config/config-from-environment.ts';
export { configOrigins } from './config/config-origins.ts';
export type { ConfigOrigin } from './config/config-origins.ts';
export { configJsonSchema } from './config/config-schema.ts';
export { ConfigVariableError } from './config/config-variable-error.ts';
export type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config/config.ts';
export { findConfig, userConfigFolder } from './config/find-config.ts';
export { mergeConfigs } from './config/merge-configs.ts';
export type { ConfigLayers } from './config/merge-configs.ts';
export { readConfigFile } from './config/read-config-file.ts';
export type { ReadConfig } from './config/read-config-file.ts';
export { runConfigCode } from './config/run-config-code.ts';
export { secretsIn } from './config/secrets.ts';
export { createEventLogger } from './logging/event-logger.ts';
export type { EventLogger, EventLoggerOptions } from './logging/event-logger.ts';
export { logLevels } from './logging/log-record.ts';
export type { LogKind, LogLevel } from './logging/log-record.ts';
export { maskSecrets, secretValues } from './logging/mask-secrets.ts';
export type { Masking } from './logging/mask-secrets.ts';
export { openRotatingFile } from './logging/rotating-file.ts';
export type { RotatingFile, RotatingFileOptions } from './logging/rotating-file.ts';
export { knownProviders } from './models/providers/known-providers.ts';
export { findLauncher } from './sandbox/find-launcher.ts';
export type { FoundLauncher } from './sandbox/find-launcher.ts';
export { bubblewrapLauncher } from './sandbox/bubblewrap.ts';
export { openLauncher } from './sandbox/launcher.ts';
export type { Confines, Launch, Launcher } from './sandbox/launcher.ts';
export { scrubbedEnvironment } from './sandbox/environment.ts';
export { runCommand } from './sandbox/run-command.ts';
export { createHooks } from './hooks/hooks.ts';
export type { Hooks, HooksConfig } from './hooks/hooks.ts';
export { systemProbe } from './resources/probe.ts';
export { watchResources } from './resources/watch-resources.ts';
export { trustStore } from './trust/trust-store.ts';
export type { TrustStore } from './trust/trust-store.ts';
export type { AutoCommitOptions } from './hooks/auto-commit.ts';
export type { AfterToolsHook, BeforeToolHook, Finished, FinishHook, HookCommand } from './hooks/hook.ts';
export { resourceLimits } from './resources/judge.ts';
export type { ResourceLimits } from './resources/judge.ts';
export type { Probe, Resources } from './resources/probe.ts';
export type { Watch as ResourceWatch, WatchOptions } from './resources/watch-resources.ts';
export type { BubblewrapOptions } from './sandbox/bubblewrap.ts';
export type { FindOptions } from './sandbox/find-launcher.ts';
export type { Command, CommandEnd } from './sandbox/run-command.ts';
export { SandboxError } from './sandbox/sandbox-error.ts';
export type { SandboxErrorCode } from './sandbox/sandbox-error.ts';
export { TrustError } from './trust/trust-error.ts';
export type { TrustErrorCode } from './trust/trust-error.ts';
export type { TrustedContents } from './trust/trust-store.ts';
export { textAbout, toolsAbout } from './store/known-about.ts';
export { eventLogOn } from './store/event-log-on.ts';
export { createMemoryStore } from './store/memory-store.ts';
export type { EventRow, Rows, SessionRow, SnapshotRow } from './store/rows.ts';
export type { ConnectionOptions as SqliteStoreOptions } from './store/sqlite-connection.ts';
export { openSqliteStore } from './store/sqlite-store.ts';
export { StoreError } from './store/store-error.ts';
export type { StoreErrorCode } from './store/store-error.ts';
export { storeOn } from './store/store-on-rows.ts';
export type {
  Claim,
  CreateOptions,
  Damage,
  KeptEvent,
  OpenedSession,
  Parent,
  Past,
  Position,
  SessionSummary,
  Store,
  Verified,
} from './store/store.ts';
export { fork } from './store/fork.ts';
export type { ForkOptions } from './store/fork.ts';
export { ownerState, thisProcess } from './store/owner.ts';
export { stateHash } from './store/state-hash.ts';
export { takeUp } from './store/take-up.ts';
export type { TakenUp } from './store/take-up.ts';
export { traceContext, withTraceContext } from './trace-context.ts';
export type { TraceContext } from './trace-context.ts';
