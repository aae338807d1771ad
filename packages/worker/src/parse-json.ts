/** Returns undefined for invalid JSON, because other clients can write anything to Redis. */
export function parseJsonSafely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
