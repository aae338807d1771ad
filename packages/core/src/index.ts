export { append, appendAll, emptyConversation, items, lastItem, toArray } from './conversation/conversation.ts';
export type { Conversation } from './conversation/conversation.ts';
export type {
  AssistantMessage,
  Call,
  Message,
  Outcome,
  ToolError,
  ToolErrorKind,
  ToolMessage,
  UserMessage,
} from './conversation/message.ts';
export { eventTypes, isEphemeral } from './event.ts';
export type {
  Event,
  EventType,
  ModelError,
  ModelErrorKind,
  RecoveryOutcome,
  RequestedCall,
  Usage,
} from './event.ts';
export type { Action, ActionType, CompletedTool } from './action.ts';
export type { Note } from './note.ts';
export type { Json } from './json.ts';
export type { Response, Verdict } from './governor/verdict.ts';
export type { CompletedPhase, Phase, PhaseChange, Phases } from './phases/phase.ts';
export type { Agenda, Execution, HaltReason, Turn, TurnStatus } from './turn/state.ts';
