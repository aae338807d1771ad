export { getJsonPath, isJsonObject, toOptionalCount, toOptionalList, toOptionalNumber } from './json.ts';
