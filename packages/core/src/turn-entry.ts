export {
  notifyObservers,
  type StepObservers,
  toTransitionRecords,
  type TransitionRecord,
} from './notify-observers.ts';
export { selectSessionRules } from './governor/reduce-governor.ts';
