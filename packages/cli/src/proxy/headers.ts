/** What concerns one connection and not the message; it is never passed on. */
const hopByHop: ReadonlySet<string> = new Set([
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

/** Names a conversation, for agents whose conversations begin alike. It is for us and goes no further. */
export const conversationHeader = 'x-pawl-conversation';

/** Raw headers without those of the connection, those it names, and those that the caller sets anew; in order, as written. */
export function passedOn(raw: readonly string[], without: readonly string[] = []): string[] {
  const named = new Set<string>(without);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return raw.flatMap((name, index) => {
    const key = name.toLowerCase();
    return index % 2 === 1 || hopByHop.has(key) || named.has(key) ? [] : [name, raw[index + 1] ?? ''];
  });
}
