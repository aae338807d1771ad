import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

/**
 * Creates a user configuration with these permission rules for the test, so that its calls run with or without
 * a sandbox. Undone by `vi.unstubAllEnvs()`.
 */
export function allowCalls(...rules: readonly string[]): void {
  const home = mkdtempSync(join(tmpdir(), 'pawl-allowed-'));
  writeAllowedCalls(home, ...rules);
  vi.stubEnv('XDG_CONFIG_HOME', home);
}

/** Writes the same configuration to a config home that the caller sets itself. */
export function writeAllowedCalls(home: string, ...rules: readonly string[]): void {
  mkdirSync(join(home, 'pawl'), { recursive: true });
  writeFileSync(join(home, 'pawl', 'pawl.config.json'), JSON.stringify({ permission: { rules } }));
}

/** The rule that allows exactly this shell command. */
export function allowShell(command: string): string {
  return `allow shell ${JSON.stringify({ command })}`;
}
