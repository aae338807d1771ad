export { createAgent } from './create-agent.ts';
export type { AgentConfig, CreatedAgent } from './create-agent.ts';
export { createAgentManifest, prepareAgent } from './agent-setup/agent-setup.ts';
export type {
  AgentManifest,
  AgentObserver,
  AgentSetupConfig,
  AgentSetupContext,
  ObservedPorts,
  PreparedAgent,
} from './agent-setup/agent-setup.ts';
export { AgentConfigError } from './agent-setup/agent-config-error.ts';
export { createProfileModel, getCodecOptions } from './agent-setup/agent-model.ts';
export type { AgentModelConfig } from './agent-setup/agent-model.ts';
export type { AgentToolConfig, QuestionHandlers, ToolApprover } from './agent-setup/coding-setup.ts';
export {
  applyModelConfig,
  fillMissingBudgets,
  flagsToConfig,
  parseModelFlags,
  parseRunMetadata,
  toAgentConfig,
  toRunMetadata,
} from './agent-setup/run-options.ts';
export type { ConfigFlags, ModelFlags, RunMetadata } from './agent-setup/run-options.ts';
export { Agent } from './agent.ts';
export type { AgentOptions, StepResult, StoreOutage } from './agent.ts';
export { findTurnAnswer } from '@pawl/core';
export { systemClock } from './clock.ts';
export type { RuntimeClock } from './clock.ts';
export { markExecutedCommand, getExecutedCommand } from './commands/executed-command.ts';
export { commandLimits, serializeCommand, createQueueFullError } from './commands/channel.ts';
export type { CommandChannel, SendCommandOptions, PendingCommand } from './commands/channel.ts';
export { createCommandEvent, parseCommand } from './commands/command.ts';
export type { SessionCommand } from './commands/command.ts';
export { createCommandInbox } from './commands/command-inbox.ts';
export type { CommandInbox } from './commands/command-inbox.ts';
export { createMemoryLog } from './event-log.ts';
export type { EventLog } from './event-log.ts';
export { deriveExecutionId } from './executions/execution-id.ts';
export { createFileSpool } from './executions/file-spool.ts';
export { createMemorySpool } from './executions/spool.ts';
export type { ExecutionSpool, SpooledExecution } from './executions/spool.ts';
export type { Model, ModelChunk, ModelRequest } from './models/model.ts';
export { createLibrarian } from './models/librarian.ts';
export { createScriptedModel } from './models/scripted.ts';
export type { ScriptedReply } from './models/scripted.ts';
export { findNearestName, formatNameSuggestion, formatUnknownName } from './nearest-name.ts';
export { buildModelRequest } from './prompt.ts';
export { answerSchema } from './schema/answer.ts';
export { eventExamples } from './schema/examples.ts';
export { buildEventsJsonSchema } from './schema/json-schema.ts';
export { parseEvent } from './schema/parse-event.ts';
export type { ParsedEvent } from './schema/parse-event.ts';
export { printAction, printState } from './schema/printed.ts';
export type { PrintedAction, PrintedState } from './schema/printed.ts';
export { indexFolder } from './search/index-folder.ts';
export type { FolderContents, FolderIndex, IndexOptions, IndexProgress } from './search/index-folder.ts';
export { indexLimits } from './search/limits.ts';
export type { IndexLimits } from './search/limits.ts';
export type { SearchHit, SearchResult } from './search/search.ts';
export type { SkippedPath, SkipReason } from './search/walk.ts';
export { WorkspaceError } from './search/workspace-error.ts';
export type { WorkspaceErrorCode } from './search/workspace-error.ts';
export { createLibrarianTools } from './tools/librarian-tools.ts';
export { finishTool } from './tools/finish.ts';
export { createReadTool } from './tools/read.ts';
export { createSearchTool } from './tools/search.ts';
export { defineTool } from './tools/tool.ts';
export type {
  PermissionDecision,
  PermissionCheck,
  UnstampedEvent,
  AgentDependencies,
} from './agent-dependencies.ts';
export { readTraces } from './traces/read-traces.ts';
export type { ReadTracesOptions } from './traces/read-traces.ts';
export type { TraceItem, TraceReadProblem } from './traces/trace-item.ts';
export { traceLimits } from './traces/trace-limits.ts';
export type { TraceLimits } from './traces/trace-limits.ts';
export { TraceSourceError } from './traces/trace-source-error.ts';
export type { TraceSourceErrorCode } from './traces/trace-source-error.ts';

export { readChartFile } from './charts/read-chart-file.ts';
export { ChartFileError } from './charts/chart-file-error.ts';
export { toSvg } from './charts/to-svg.ts';
export type { ChartFileErrorCode } from './charts/chart-file-error.ts';

export type { ProtocolCodec, ProtocolLogName, ProtocolContext } from './protocols/codec.ts';
export type { ModelDecision, ReplyProblem, ModelReply, ReplyPayload } from './protocols/decision.ts';
export { explainProblems } from './protocols/explain.ts';
export { createFallbackCodec } from './protocols/fallback.ts';
export { jsonCodec } from './protocols/json.ts';
export { nativeCodec } from './protocols/native.ts';
export { createProtocolModel } from './protocols/protocol-model.ts';
export type { ProtocolOptions } from './protocols/protocol-model.ts';
export { xmlCodec } from './protocols/xml.ts';

export { createInMemoryStorage } from './memory/in-memory-storage.ts';
export { openLkjFolder } from './memory/lkj-folder.ts';
export type { LkjFolder } from './memory/lkj-folder.ts';
export { openLkjMemory } from './memory/lkj-memory.ts';
export type { LkjMemoryOptions, LkjMemoryStore } from './memory/lkj-memory.ts';
export { MemoryFileError } from './memory/memory-file-error.ts';
export type { MemoryFileErrorCode } from './memory/memory-file-error.ts';
export { createMemoryFile } from './memory/memory-file.ts';
export type { LoadedMemoryFile, MemoryFile } from './memory/memory-file.ts';
export { createMemoryManager } from './memory/memory-manager.ts';
export type { MemoryManager, MemoryManagerOptions } from './memory/memory-manager.ts';
export { foldEntryText, hasTags, toQueryCriteria, listEntryWords } from './memory/query-criteria.ts';
export type { QueryCriteria } from './memory/query-criteria.ts';
export { createMemoryTools } from './memory/memory-tools.ts';
export { openSqliteStorage } from './memory/sqlite-storage.ts';
export { StorageError } from './memory/storage-error.ts';
export type { StorageErrorCode } from './memory/storage-error.ts';
export { iterateEntries, getResultLimit, storageLimits } from './memory/storage.ts';
export type { EntryStorage, StorageQuery } from './memory/storage.ts';
export { exportMemory, importMemory } from './memory/transfer.ts';
export { createLkjLibrarian } from './models/lkj-librarian.ts';
export { createPhaseTools } from './tools/phases.ts';
export type { PhaseToolsOptions } from './tools/phases.ts';
export { openFolderStorage } from './memory/folder-storage.ts';
export { ProfileFileError } from './profiles/profile-file-error.ts';
export type { ProfileFileErrorCode } from './profiles/profile-file-error.ts';
export { isDataFilePath, resolveProfile } from './profiles/resolve-profile.ts';
export { readProfileFile } from './profiles/read-profile-file.ts';
export { modelLimits } from './models/deadlines.ts';
export type { ModelLimits } from './models/deadlines.ts';
export type { ModelPrices } from './models/prices.ts';
export { createAiSdkModel } from './models/providers/ai-sdk-model.ts';
export type { AiSdkModelOptions } from './models/providers/ai-sdk-model.ts';
export { createGuardedFetch } from './models/providers/guarded-fetch.ts';
export { createModelFromSpec, modelSpecs } from './models/providers/model-from-spec.ts';
export type { EnvironmentVariables, NamedModelOptions } from './models/providers/model-from-spec.ts';
export { ModelSpecError } from './models/providers/model-spec-error.ts';
export type { ModelSpecErrorCode } from './models/providers/model-spec-error.ts';
export type {
  EffectClass,
  Tool,
  ToolContext,
  ReconcileCall,
  ExecutionHandle,
  UnfinishedCall,
  ToolDefinition,
  ToolDescription,
  ToolLimits,
  ToolResult,
} from './tools/tool.ts';
export { createAskUserTool } from './tools/ask-user.ts';
export type { UserPrompter, UserQuestion } from './tools/ask-user.ts';
export { createCodingTools } from './tools/coding-tools.ts';
export type { CodingToolsOptions } from './tools/coding-tools.ts';
export { createEditTool } from './tools/edit.ts';
export { createGlobTool } from './tools/glob.ts';
export { applyToolLimits } from './tools/limits.ts';
export type { LimitsByTool } from './tools/limits.ts';
export { createShellTool } from './tools/shell.ts';
export type { CommandOptions } from './tools/shell.ts';
export { createTestTool } from './tools/test-command.ts';
export { createWorkspace } from './tools/workspace.ts';
export type { AgentWorkspace } from './tools/workspace.ts';
export { createWriteTool } from './tools/write.ts';
export { loadSavedRules } from './permission/saved-rules.ts';
export { createPermissionDecider } from './permission/decide.ts';
export type { PermissionPrompter, PermissionAnswer, PermissionQuestion } from './permission/decide.ts';
export { replaceFileSync } from './platform/files.ts';
export { getPlatformName } from './platform/platform.ts';
export { describeCall } from './permission/describe-call.ts';
export { permissionModes } from './permission/modes.ts';
export type { PermissionMode } from './permission/modes.ts';
export { createPermissionPolicy } from './permission/permissions.ts';
export type {
  PermissionExplanation,
  PermissionPolicy,
  PermissionPolicyOptions,
} from './permission/permissions.ts';
export { formatPermissionRule, parsePermissionRule } from './permission/rule.ts';
export type { PermissionLevel, PermissionRule } from './permission/rule.ts';
export { revealHiddenCharacters } from './permission/hidden-characters.ts';
export { createFileApprovalStore } from './mcp/approvals-file.ts';
export { createMemoryApprovalStore } from './mcp/approvals.ts';
export type { ToolApproval, ApprovalStore } from './mcp/approvals.ts';
export { connectMcpServer, connectMcpServers } from './mcp/connect-mcp.ts';
export type { McpOptions, McpConnections } from './mcp/connect-mcp.ts';
export type { McpConnection } from './mcp/connection.ts';
export { McpError } from './mcp/mcp-error.ts';
export type { McpErrorCode } from './mcp/mcp-error.ts';
export { mcpLimits } from './mcp/mcp-server.ts';
export type { McpCommandServer, McpLimits, McpServer, McpUrlServer } from './mcp/mcp-server.ts';
export type { ToolReview } from './mcp/tool-registry.ts';
export { applyAgentKeys } from './config/agent-keys.ts';
export type { ProfileWithKeys } from './config/agent-keys.ts';
export { ConfigFileError } from './config/config-file-error.ts';
export type { ConfigFileErrorCode } from './config/config-file-error.ts';
export { readEnvironmentConfig, configVariables } from './config/environment-config.ts';
export { listConfigOrigins } from './config/config-origins.ts';
export type { ConfigOrigin } from './config/config-origins.ts';
export { buildConfigJsonSchema } from './config/config-schema.ts';
export { ConfigVariableError } from './config/config-variable-error.ts';
export type { AgentKeys, Config, ConfigHooks, TelemetryKeys } from './config/config.ts';
export { findConfigFile, getUserConfigFolder } from './config/find-config.ts';
export { evaluateConfig, loadConfig, loadConfigLayers, toTrustedContents } from './config/load-config.ts';
export type { LoadConfigOptions, LoadedConfigLayers, MergedConfig } from './config/load-config.ts';
export { mergeConfigs } from './config/merge-configs.ts';
export type { ConfigLayers } from './config/merge-configs.ts';
export { readConfigFile } from './config/read-config-file.ts';
export type { ConfigFileContents } from './config/read-config-file.ts';
export { runConfigCode } from './config/run-config-code.ts';
export { findSecrets } from './config/secrets.ts';
export { createEventLogger } from './logging/event-logger.ts';
export type { EventLogger, EventLoggerOptions } from './logging/event-logger.ts';
export { logLevels } from './logging/log-record.ts';
export type { LogKind, LogLevel } from './logging/log-record.ts';
export { maskSecrets, listSecretValues } from './logging/mask-secrets.ts';
export type { MaskOptions } from './logging/mask-secrets.ts';
export { openRotatingFile } from './logging/rotating-file.ts';
export type { RotatingFile, RotatingFileOptions } from './logging/rotating-file.ts';
export { knownProviders } from './models/providers/known-providers.ts';
export { detectSandbox } from './sandbox/detect-sandbox.ts';
export type { DetectedSandbox } from './sandbox/detect-sandbox.ts';
export { createBubblewrapSandbox } from './sandbox/bubblewrap.ts';
export { passthroughSandbox } from './sandbox/command-sandbox.ts';
export type { SandboxPolicy, SandboxLaunch, CommandSandbox } from './sandbox/command-sandbox.ts';
export { scrubEnvironment } from './sandbox/environment.ts';
export { runCommand } from './sandbox/run-command.ts';
export { createHooks } from './hooks/hooks.ts';
export type { AgentHooks, HooksOptions } from './hooks/hooks.ts';
export { createSystemProbe } from './resources/probe.ts';
export { watchResources } from './resources/watch-resources.ts';
export { createTrustStore } from './trust/trust-store.ts';
export type { TrustStore } from './trust/trust-store.ts';
export type { AutoCommitOptions } from './hooks/auto-commit.ts';
export type { AfterToolsHook, BeforeToolHook, FinishedTurn, FinishHook, HookCommand } from './hooks/hook.ts';
export { resourceLimits } from './resources/resource-pressure.ts';
export type { ResourceLimits } from './resources/resource-pressure.ts';
export type { ResourceProbe, ResourceUsage } from './resources/probe.ts';
export type { ResourceWatch, ResourceWatchOptions } from './resources/watch-resources.ts';
export type { BubblewrapOptions } from './sandbox/bubblewrap.ts';
export type { DetectSandboxOptions } from './sandbox/detect-sandbox.ts';
export type { RunCommandOptions, CommandResult } from './sandbox/run-command.ts';
export { SandboxError } from './sandbox/sandbox-error.ts';
export type { SandboxErrorCode } from './sandbox/sandbox-error.ts';
export { TrustError } from './trust/trust-error.ts';
export type { TrustErrorCode } from './trust/trust-error.ts';
export type { TrustedContents } from './trust/trust-store.ts';
export { getMetadataText, getMetadataTools } from './store/metadata-fields.ts';
export { getSessionSpoolFolder, withManifestFolder } from './store/manifest-folder.ts';
export { createStoreEventLog } from './store/store-event-log.ts';
export { createMemoryStore } from './store/memory-store.ts';
export type { EventRow, StoreRows, SessionRow, SnapshotRow } from './store/rows.ts';
export type { SqliteStoreOptions } from './store/sqlite-connection.ts';
export { openSqliteStore } from './store/sqlite-store.ts';
export { StoreError } from './store/store-error.ts';
export type { StoreErrorCode } from './store/store-error.ts';
export { createRowStore } from './store/row-store.ts';
export type {
  SessionClaim,
  CreateSessionOptions,
  LogDamage,
  StoredEvent,
  OpenedSession,
  SessionParent,
  SessionPast,
  LogPosition,
  SessionSummary,
  Store,
  VerificationResult,
} from './store/store.ts';
export { forkStoredSession } from './store/fork.ts';
export type { ForkOptions } from './store/fork.ts';
export { getOwnerState, getProcessOwner } from './store/owner.ts';
export { computeStateHash } from './store/state-hash.ts';
export { computeLinkHash } from './store/chain.ts';
export { replaySteps } from './store/replay-steps.ts';
export {
  exportFormat,
  exportVersion,
  ExportedSessionError,
  parseExportedSession,
  type ExportedSession,
} from './store/exported-session.ts';
export { resumeSession } from './store/resume-session.ts';
export type { ResumedSession, SessionClaimOptions } from './store/resume-session.ts';
export { getTraceContext, runWithTraceContext } from './trace-context.ts';
export type { TraceContext } from './trace-context.ts';
