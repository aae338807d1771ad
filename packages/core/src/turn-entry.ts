export {
  notifyObservers,
  type StepObservers,
  toTransitionRecords,
  type TransitionRecord,
} from './notify-observers.ts';
export { selectSessionRules } from './reducers/reduce-governor.ts';
export { isAskModelAction, type AskModelAction } from './session/action.ts';
export type { HookWork, ModelCallIntent, PagingWork, PausedTurn } from './session/turn-state.ts';
export type { PartialOutput, ReplyKind } from './session/event.ts';
