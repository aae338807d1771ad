export type { Action, ActionType, CompletedTool } from './action.ts';
export { isJudgedOutcome } from './conversation/message.ts';
export type {
  AssistantMessage,
  ConversationMessage,
  ToolCall,
  ToolError,
  ToolErrorKind,
  ToolMessage,
  ToolOutcome,
  UserMessage,
} from './conversation/message.ts';
export { createEventNormalizer } from './event-normalizer.ts';
export { eventTypes, getEventUsage, isEphemeralEvent } from './event.ts';
export type {
  Event,
  EventOfType,
  EventType,
  ModelError,
  ModelErrorKind,
  PagingFinished,
  PagingSummaries,
  RecoveryOutcome,
  RequestedCall,
  TokenUsage,
  ToolFinished,
} from './event.ts';
export type { BudgetLimits, BudgetUsage } from './governor/budget.ts';
export { findLogVersionProblem, hasLogPatch, latestLogVersion, logPatches } from './log-version.ts';
export type { LogPatch } from './log-version.ts';
export type { Note } from './note.ts';
export { notifyObservers } from './notify-observers.ts';
export type { StepObservers } from './notify-observers.ts';
export {
  getConversation,
  getStepOutcome,
  getUnpausedTurn,
  isTerminalSession,
  toDurableSession,
} from './session-status.ts';
export type { StepOutcome } from './session-status.ts';
export { createSession } from './session.ts';
export type { GovernorState, Session, SessionOptions } from './session.ts';
export { defaultSettings } from './settings.ts';
export type { SessionSettings } from './settings.ts';
export { replay, step } from './step.ts';
export { toTransitionRecords } from './transition-record.ts';
export type { TransitionRecord } from './transition-record.ts';
export type {
  CallExecution,
  FinishRequest,
  HaltReason,
  HookWork,
  ModelCallIntent,
  PagingWork,
  PausableTurn,
  PermissionCall,
  TurnAgenda,
  TurnState,
  TurnStatus,
} from './turn/state.ts';
export type {
  DetectorState,
  ErrorRemedy,
  FileContentChange,
  FileEffect,
  GovernorSettings,
  Json,
  JsonObject,
  RuleSeverity,
  Verdict,
  VerdictResponse,
} from '@pawl/governor';
export type { SessionTracker } from '@pawl/governor/tracker';
