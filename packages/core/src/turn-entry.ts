export {
  notifyObservers,
  type StepObservers,
  toTransitionRecords,
  type TransitionRecord,
} from './notify-observers.ts';
export { selectSessionRules } from './reducers/reduce-governor.ts';
export { isAskModelAction, type AskModelAction } from './session/action.ts';
export type { PausedTurn } from './session/turn-state.ts';
export type { ReplyKind } from './session/event.ts';
