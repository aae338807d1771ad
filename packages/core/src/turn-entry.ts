export {
  notifyObservers,
  type StepObservers,
  toTransitionRecords,
  type TransitionRecord,
} from './notify-observers.ts';
export { selectSessionRules } from './reducers/reduce-governor.ts';
