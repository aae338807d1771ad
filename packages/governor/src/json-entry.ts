export {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from './json/config-field.ts';
export type { ConfigField } from './json/config-field.ts';
export {
  findJsonProblem,
  getJsonPath,
  isJsonObject,
  toOptionalCount,
  toOptionalList,
  toOptionalNumber,
} from './json/json.ts';
export type { JsonProblem } from './json/json.ts';
