import { claude } from './claude.ts';
import { codex } from './codex.ts';
import type { Host } from './fact.ts';
import { gemini } from './gemini.ts';

/** The coding agents that can be governed through their hooks. */
export const hosts: readonly Host[] = [claude, codex, gemini];
