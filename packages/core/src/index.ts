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
  type ReplyKind,
  type RequestedCall,
  type TokenUsage,
  type ToolFinished,
} from './event.ts';
export type { BudgetLimits, BudgetUsage } from './governor/budget.ts';
export { findLogVersionProblem, hasLogPatch, latestLogVersion, logPatches } from './log-version.ts';
export type { LogPatch } from './log-version.ts';
export type { Note } from './note.ts';
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
  FileContentChange,
  FileEffect,
  GovernorSettings,
  Json,
  JsonObject,
  RuleSeverity,
  Verdict,
  VerdictResponse,
} from '@pawl/governor';
export { summarizeTurn } from './governor/summarize-turn.ts';
export { listPendingActions } from './turn/pending-actions.ts';
export type { SessionStep } from './turn/transition-turn.ts';
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
export { findTurnAnswer } from './session-status.ts';
