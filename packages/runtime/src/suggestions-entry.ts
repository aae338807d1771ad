export { findNearestName, formatNameSuggestion, formatUnknownName } from './nearest-name.ts';
