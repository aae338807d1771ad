export type { AgentDependencies } from './agent/agent-dependencies.ts';
export type { PermissionCheck, PermissionDecision, UnstampedEvent } from './ports/agent-ports.ts';
export { AgentConfigError, type AgentModelConfig } from './agent-setup/run-options.ts';
export type { AgentObserver, AgentSetupConfig } from './agent-setup/agent-setup.ts';
export type { AgentToolConfig, QuestionHandlers, ToolApprover } from './agent-setup/coding-setup.ts';
export { Agent } from './agent/agent.ts';
export type { AgentOptions, StepResult, StoreOutage } from './agent/agent.ts';
export { systemClock } from './platform/clock.ts';
export type { RuntimeClock } from './platform/clock.ts';
export { createAgent } from './agent-setup/create-agent.ts';
export type { AgentConfig, CreatedAgent } from './agent-setup/create-agent.ts';
export { createMemoryLog, type EventLog } from './store/store-event-log.ts';
export type { Model, ModelChunk, ModelRequest, ModelResponse, ModelServer } from './models/model.ts';
export { resumeSession } from './store/resume-session.ts';
export type { ResumedSession, SessionClaimOptions } from './store/resume-session.ts';
export { defineTool } from './tools/tool.ts';
export type {
  EffectClass,
  ExecutionHandle,
  ReconcileCall,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolDescription,
  ToolLimits,
  ToolResult,
  UnfinishedCall,
} from './tools/tool.ts';
export { openFolderStorage } from './memory/folder-storage.ts';
export { findTurnAnswer } from '@pawl/core';
