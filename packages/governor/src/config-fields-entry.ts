export {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from './config-field.ts';
export type { ConfigField } from './config-field.ts';
