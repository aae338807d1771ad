import type { EffectClass } from '../tools/tool.ts';
import type { Permission, PermissionRule } from './rule.ts';

/**
 * What happens to calls that no rule is about.
 * `read-only` nothing may change · `ask` reading is allowed, the rest is asked for · `auto-edit` changes of files are
 * allowed too · `full-auto` everything is.
 */
export type PermissionMode = 'read-only' | 'ask' | 'auto-edit' | 'full-auto';

export const permissionModes: readonly PermissionMode[] = ['read-only', 'ask', 'auto-edit', 'full-auto'];

/** What a call does, as far as permission goes: it looks, it changes a file, or it does whatever it likes. */
export type Deed = 'look' | 'change' | 'run';

export function deedOf(effect: EffectClass | undefined): Deed {
  if (effect === 'read-only') return 'look';
  return effect === 'verifiable' ? 'change' : 'run';
}

const byMode: { readonly [Mode in PermissionMode]: { readonly [Each in Deed]: Permission } } = {
  'read-only': { look: 'allow', change: 'deny', run: 'deny' },
  ask: { look: 'allow', change: 'ask', run: 'ask' },
  'auto-edit': { look: 'allow', change: 'allow', run: 'ask' },
  'full-auto': { look: 'allow', change: 'allow', run: 'allow' },
};

export function byDefault(mode: PermissionMode, deed: Deed): Permission {
  return byMode[mode][deed];
}

/** What a person must know before they choose a mode; null when there is nothing to warn of. */
export function warningOf(mode: PermissionMode, sandboxed: boolean): string | null {
  if (mode !== 'full-auto') return null;
  const commands = sandboxed
    ? 'Commands run in the sandbox without being asked for.'
    : 'There is no sandbox, so commands are still asked for unless a rule allows them.';
  return `FULL-AUTO: files are changed without asking. ${commands} Use it only on what you can afford to lose.`;
}

/** Git runs what is in its folder, so no tool writes there. */
const neverChanged = ['.git', '**/.git'];

/** Other programs run or obey these without asking, so a person looks at each change. */
const alwaysAsked = [
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

/** Rules that hold in every mode, for calls that change files. */
export const protections: readonly PermissionRule[] = [
  ...neverChanged.map((on) => ({ decision: 'deny', tool: '*', on }) as const),
  ...alwaysAsked.map((on) => ({ decision: 'ask', tool: '*', on }) as const),
];
