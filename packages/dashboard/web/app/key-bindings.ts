/** A keyboard shortcut and its help text. The keys of a sequence are separated by a space: `g t`. */
export type KeyBinding = { readonly keys: string; readonly description: string; readonly run: () => void };

/** Time limit for the next key of a sequence. */
export const keySequenceMs = 1_200;

export type KeySequence = { readonly before: string; readonly at: number };

export const emptyKeySequence: KeySequence = { before: '', at: 0 };

/** Finds the binding that a key completes, and the sequence pending after it. Later bindings take precedence. */
export function resolveKeyPress(
  bindings: readonly KeyBinding[],
  { before, at }: KeySequence,
  key: string,
  now: number,
): { readonly binding: KeyBinding | null; readonly pressed: KeySequence } {
  const sequence = before !== '' && now - at < keySequenceMs ? `${before} ${key}` : key;
  const binding = bindings.findLast(({ keys }) => keys === sequence) ?? null;
  if (binding !== null) return { binding, pressed: emptyKeySequence };
  const startsSequence = bindings.some(({ keys }) => keys.startsWith(`${sequence} `));
  if (startsSequence) return { binding: null, pressed: { before: sequence, at: now } };
  // A key that does not continue the sequence may be a binding of its own.
  return sequence === key
    ? { binding: null, pressed: emptyKeySequence }
    : resolveKeyPress(bindings, emptyKeySequence, key, now);
}
