// The governor and nothing else of the core, for those who start anew for every call and have somebody waiting for them.
export { observe, textOf } from './governor/observation.ts';
export { isNews } from './governor/rules/tail.ts';
export { rulesFor } from './governor/rulebook.ts';
export { verdictOn } from './governor/verdict.ts';
export { unwatched, watch } from './governor/watch.ts';
export { codexOutcome } from './traces/codex-output.ts';
