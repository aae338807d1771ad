/** What a key does, for the help and for whoever presses it. Keys of a sequence stand with a space between: `g t`. */
export type KeyBinding = { readonly keys: string; readonly does: string; readonly run: () => void };

/** A key that begins a sequence is waited on for this long. */
export const sequenceMs = 1_200;

export type Pressed = { readonly before: string; readonly at: number };

export const nothingPressed: Pressed = { before: '', at: 0 };

/** Which binding a key completes, and what is to be remembered for the next one. Later bindings come first. */
export function press(
  bindings: readonly KeyBinding[],
  { before, at }: Pressed,
  key: string,
  now: number,
): { readonly binding: KeyBinding | null; readonly pressed: Pressed } {
  const sequence = before !== '' && now - at < sequenceMs ? `${before} ${key}` : key;
  const binding = bindings.findLast(({ keys }) => keys === sequence) ?? null;
  if (binding !== null) return { binding, pressed: nothingPressed };
  const begins = bindings.some(({ keys }) => keys.startsWith(`${sequence} `));
  if (begins) return { binding: null, pressed: { before: sequence, at: now } };
  // A key that does not go on with a sequence may stand for itself.
  return sequence === key
    ? { binding: null, pressed: nothingPressed }
    : press(bindings, nothingPressed, key, now);
}
