export {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from './config-field.ts';
export type { ConfigField } from './config-field.ts';
export { getJsonPath, isJsonObject, toOptionalCount, toOptionalList, toOptionalNumber } from './json.ts';
