import type { EffectClass } from '../tools/tool.ts';
import type { PermissionLevel, PermissionRule } from './rule.ts';

/**
 * The default decision for calls that no rule matches.
 * `read-only` denies all changes · `ask` allows reading and asks for the rest · `auto-edit` also allows file changes ·
 * `full-auto` allows everything.
 */
export type PermissionMode = 'read-only' | 'ask' | 'auto-edit' | 'full-auto';

export const permissionModes: readonly PermissionMode[] = ['read-only', 'ask', 'auto-edit', 'full-auto'];

/** The impact of a call, for permissions: it only reads, changes files, or can do anything. */
export type CallImpact = 'look' | 'change' | 'run';

export function toCallImpact(effect: EffectClass | undefined): CallImpact {
  if (effect === 'read-only') return 'look';
  return effect === 'verifiable' ? 'change' : 'run';
}

const permissionsByMode: {
  readonly [Mode in PermissionMode]: { readonly [Each in CallImpact]: PermissionLevel };
} = {
  'read-only': { look: 'allow', change: 'deny', run: 'deny' },
  ask: { look: 'allow', change: 'ask', run: 'ask' },
  'auto-edit': { look: 'allow', change: 'allow', run: 'ask' },
  'full-auto': { look: 'allow', change: 'allow', run: 'allow' },
};

export function getDefaultPermission(mode: PermissionMode, impact: CallImpact): PermissionLevel {
  return permissionsByMode[mode][impact];
}

/** Returns the warning to show before the user selects a mode; null if there is none. */
export function getModeWarning(mode: PermissionMode, sandboxed: boolean): string | null {
  if (mode !== 'full-auto') return null;
  const commands = sandboxed
    ? 'Commands run in the sandbox without asking.'
    : 'There is no sandbox, so commands still require permission unless a rule allows them.';
  return `FULL-AUTO: files are changed without asking. ${commands} Use it only where you can afford to lose data.`;
}

/** Git executes files in its folder, so no tool may write there. */
const neverChangedPaths = ['.git', '**/.git'];

/** Other programs execute or obey these files without asking, so the user reviews each change. */
const alwaysAskedPaths = [
  'pawl.config.*',
  '.pawl',
  '**/.mcp.json',
  '**/.envrc',
  '**/.husky',
  '**/.vscode',
  '**/.idea',
  '.github/workflows',
  '**/.npmrc',
];

/** Rules that apply in every mode to calls that change files. */
export const protectionRules: readonly PermissionRule[] = [
  ...neverChangedPaths.map((on) => ({ decision: 'deny', tool: '*', on }) as const),
  ...alwaysAskedPaths.map((on) => ({ decision: 'ask', tool: '*', on }) as const),
];
