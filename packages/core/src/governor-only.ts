// Exports only the governor, for programs that start a new process per tool call and need a short startup time.
export { observeCall, formatToolOutput } from './governor/call-observation.ts';
export { isNewOutcome } from './governor/rules/window-queries.ts';
export { selectRules } from './governor/select-rules.ts';
export { createVerdict } from './governor/verdict.ts';
export { initialDetectorState, runDetector } from './governor/detector.ts';
export { parseCodexOutcome } from './traces/codex-output.ts';
