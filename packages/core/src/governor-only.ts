// Only the governor, for programs that start afresh for every call while somebody waits for them.
export { observe, textOf } from './governor/observation.ts';
export { isNews } from './governor/rules/tail.ts';
export { rulesFor } from './governor/rulebook.ts';
export { verdictOn } from './governor/verdict.ts';
export { unwatched, watch } from './governor/watch.ts';
export { codexOutcome } from './traces/codex-output.ts';
