import type { ConfigField } from '@pawl/governor';
import { logNames, type MemoryLogName, type MemorySettings } from './settings.ts';

/** The configuration field for a log's key prefix. */
export function createLogPrefixField(fallback: string): ConfigField<string> {
  return {
    fallback,
    expects: 'text of 1 to 60 characters without whitespace, commas or digits',
    accepts: (value): value is string => typeof value === 'string' && /^[^\s,\d\p{C}]{1,60}$/u.test(value),
  };
}

/** Returns a log that shares its prefix with another, because the two would overwrite each other, or undefined. */
export function findLogWithSharedPrefix({ logs }: MemorySettings): MemoryLogName | undefined {
  const prefixes = logNames.map((name) => logs[name].keyPrefix);
  return logNames.find((_, index) => prefixes.indexOf(prefixes[index] ?? '') !== index);
}
