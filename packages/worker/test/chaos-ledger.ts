import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type EffectEntry = {
  readonly what: string;
  readonly execution: string;
  readonly pid: number;
  readonly at: number;
};

/** What the tool has written down, outside of everything that is tested. */
export function readEffectLedger(folder: string): readonly EffectEntry[] {
  const file = join(folder, 'ledger');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => {
    const [what = '', execution = '', pid = '', at = ''] = line.split(' ');
    return { what, execution, pid: Number(pid), at: Number(at) };
  });
}

/** Those that have begun and not ended, as far as the ledger tells. */
export function listOpenEffects(entries: readonly EffectEntry[]): readonly EffectEntry[] {
  const ended = new Set(entries.filter(({ what }) => what === 'end').map(({ execution }) => execution));
  return entries.filter(({ what, execution }) => what === 'start' && !ended.has(execution));
}
