import { claudeHost, codexHost } from './claude.ts';
import type { HookHost } from './hook-event.ts';
import { geminiHost } from './gemini.ts';

/** The coding agents that Pawl can govern through their hooks. */
export const hookHosts: readonly HookHost[] = [claudeHost, codexHost, geminiHost];
