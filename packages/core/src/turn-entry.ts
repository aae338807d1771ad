export {
  notifyObservers,
  type StepObservers,
  toTransitionRecords,
  type TransitionRecord,
} from './notify-observers.ts';
