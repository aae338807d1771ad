// Exports only the governor, for programs that start a new process per tool call and need a short startup time.
export { observeCall, formatToolOutput } from './observations/call-observation.ts';
export { isNewOutcome } from './rules/window-queries.ts';
export { selectRules } from './rules/select-rules.ts';
export { createVerdict } from './verdict.ts';
export { initialDetectorState, runDetector } from './detector.ts';
export { parseCodexOutcome } from './traces/codex-output.ts';
