/** Undefined for what is no JSON: whoever can write to Redis may have written anything. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
