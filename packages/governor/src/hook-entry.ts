// Exports only what a coding agent's hook needs: a hook is a new process per tool call, and its startup time counts.
export { observeCall, formatToolOutput } from './observations/call-observation.ts';
export { selectRules } from './rules/pawl-rules.ts';
export { isContinuationMessage, removeHostText } from './observations/text-observation.ts';
export { resetReplyWindows } from './verdicts/detector.ts';
export { initialLadder, judgeObservation, screenCalls } from './verdicts/ladder.ts';
