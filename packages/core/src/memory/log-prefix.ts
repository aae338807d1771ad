import type { Field } from '../field.ts';
import { logNames, type LogName, type MemorySettings } from './settings.ts';

/** What the keys of a log may begin with. */
export function logPrefix(fallback: string): Field<string> {
  return {
    fallback,
    expects: 'a text of 1 to 60 characters without white space, commas and digits',
    accepts: (value): value is string => typeof value === 'string' && /^[^\s,\d\p{C}]{1,60}$/u.test(value),
  };
}

/** A log whose prefix is that of another as well, or undefined: they would overwrite each other. */
export function logWithoutOwnPrefix({ logs }: MemorySettings): LogName | undefined {
  const prefixes = logNames.map((name) => logs[name].keyPrefix);
  return logNames.find((_, index) => prefixes.indexOf(prefixes[index] ?? '') !== index);
}
