export type { Action, ActionType } from './session/action.ts';
export type {
  CompletedTool,
  CallExecution,
  FinishRequest,
  HaltReason,
  PausableTurn,
  PermissionCall,
  TurnAgenda,
  TurnState,
  TurnStatus,
} from './session/turn-state.ts';
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
export {
  createEventNormalizer,
  eventTypes,
  getEventUsage,
  isEphemeralEvent,
  type Event,
  type EventOfType,
  type EventType,
  type ModelError,
  type ModelErrorKind,
  type PagingFinished,
  type PagingSummaries,
  type RecoveryOutcome,
  type RequestedCall,
  type TokenUsage,
  type ToolFinished,
} from './session/event.ts';
export { defaultSettings, type BudgetLimits, type SessionSettings } from './session/settings.ts';
export {
  createSession,
  type BudgetUsage,
  type GovernorState,
  type Session,
  type SessionOptions,
} from './session/session.ts';
export { findLogVersionProblem, hasLogPatch, latestLogVersion, logPatches } from './session/log-version.ts';
export type { LogPatch } from './session/log-version.ts';
export type { Note } from './session/note.ts';
export {
  getConversation,
  getStepOutcome,
  getUnpausedTurn,
  acceptsUserMessage,
  isClosedSession,
  isTerminalSession,
  toDurableSession,
} from './session/session-status.ts';
export type { StepOutcome } from './session/session-status.ts';
export { replay, step } from './step.ts';
export type {
  FileContentChange,
  FileEffect,
  GovernorSettings,
  Json,
  JsonObject,
  RuleSeverity,
  Verdict,
  VerdictResponse,
} from '@pawl/governor';
export { summarizeTurn } from './conversation/summarize-turn.ts';
export { listPendingActions } from './turn/pending-actions.ts';
export type { SessionStep } from './session/session-step.ts';
export {
  appendItem,
  appendItems,
  emptyConversation,
  getLastItem,
  iterateItems,
  toItemArray,
} from './conversation/conversation.ts';
export type { ConversationHistory } from './conversation/conversation.ts';
export { getGoalText } from './projections/totals.ts';
export { findTurnAnswer } from './session/session-status.ts';
