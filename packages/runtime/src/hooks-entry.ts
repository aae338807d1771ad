export type { AutoCommitOptions } from './hooks/auto-commit.ts';
export type { AfterToolsHook, BeforeToolHook, FinishHook, FinishedTurn, HookCommand } from './hooks/hook.ts';
export { createHooks } from './hooks/hooks.ts';
export type { AgentHooks, HooksOptions } from './hooks/hooks.ts';
