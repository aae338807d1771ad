/** Hop-by-hop headers, which are never forwarded. */
const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Names a conversation, for agents whose conversations start alike. It is not forwarded. */
export const conversationHeader = 'x-pawl-conversation';

/**
 * Removes hop-by-hop headers, those that `Connection` names, and those that the caller replaces; order and spelling
 * stay.
 */
export function filterHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const excluded = new Set<string>(without);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[index + 1] ?? '').split(',')) excluded.add(name.trim().toLowerCase());
  }
  return raw.flatMap((name, index) => {
    const key = name.toLowerCase();
    return index % 2 === 1 || hopByHopHeaders.has(key) || excluded.has(key)
      ? []
      : [name, raw[index + 1] ?? ''];
  });
}
