export { findNearestName, formatNameSuggestion, formatUnknownName } from './text/nearest-name.ts';
