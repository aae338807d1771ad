import type { DatabaseSync } from 'node:sqlite';
import type { Json } from '@pawl/core';
import { createTraceProblem } from './read-lines.ts';
import {
  createSizeProblem,
  isNewSession,
  listParsedItems,
  parseRowData,
  type SessionStoreContext,
} from './session-store-context.ts';
import type { TraceItem } from './trace-item.ts';

function hasTables(database: DatabaseSync, ...names: readonly string[]): boolean {
  const find = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return names.every((name) => find.get(name) !== undefined);
}

/** Whether this is the state of the editor. Only its conversations are read: it also has keys of the user. */
export function isCursorState(database: DatabaseSync): boolean {
  return hasTables(database, 'cursorDiskKV');
}

/** Reads the conversations in the editor: the facts of each, and its messages in rows of their own. */
export function* readCursorState(context: SessionStoreContext, database: DatabaseSync): Generator<TraceItem> {
  const { source, limits, count } = context;
  const composers = database
    .prepare("SELECT key, value FROM cursorDiskKV WHERE key > 'composerData:' AND key < 'composerData;'")
    .iterate();
  // The keys of a conversation are neighbors in the index.
  const range = 'FROM cursorDiskKV WHERE key > ? AND key < ?';
  const size = database.prepare(`SELECT total(length(value)) AS bytes ${range}`);
  const rows = database.prepare(`SELECT key, value ${range}`);
  for (const { key, value } of composers) {
    const id = String(key).slice('composerData:'.length);
    const composer = parseRowData(toText(value));
    if (!isNewSession(context, id)) continue;
    const keys = [`bubbleId:${id}:`, `bubbleId:${id};`] as const;
    const bytes = Number(size.get(...keys)?.['bytes'] ?? 0) + toText(value).length;
    if (bytes > limits.heldBytes) {
      yield createSizeProblem(context, id);
      continue;
    }
    count(bytes);
    const bubbles = new Map(
      rows
        .all(...keys)
        .map((row) => [String(row['key']).slice(keys[0].length), parseRowData(toText(row['value']))]),
    );
    const listed = listBubbles(composer, bubbles);
    if (listed === null) yield createTraceProblem(source, null, `the conversation ${id} is not valid JSON`);
    else if (listed.length > 0)
      yield* listParsedItems(source, { composerData: composer, bubbles: listed }, id);
  }
}

/** Returns the messages in their order; those of older versions are in the conversation itself. */
function listBubbles(composer: Json, bubbles: ReadonlyMap<string, Json>): readonly Json[] | null {
  if (typeof composer !== 'object' || composer === null) return null;
  const { fullConversationHeadersOnly: headers, conversation } = composer as {
    readonly [name: string]: Json;
  };
  if (Array.isArray(conversation) && conversation.length > 0) return conversation as readonly Json[];
  if (!Array.isArray(headers)) return [...bubbles.values()];
  return (headers as readonly { readonly bubbleId?: Json }[]).map((header) => {
    const id = header?.bubbleId;
    return (typeof id === 'string' ? bubbles.get(id) : undefined) ?? null;
  });
}

/** Whether this is a chat of the command line interface. */
export function isCursorChat(database: DatabaseSync): boolean {
  return hasTables(database, 'blobs', 'meta');
}

/** Reads a chat: the messages in a tree of blobs, whose root is named in the facts of the chat. */
export function* readCursorChat(context: SessionStoreContext, database: DatabaseSync): Generator<TraceItem> {
  const { source, limits, count } = context;
  const meta = parseChatMeta(database.prepare('SELECT value FROM meta ORDER BY key').get()?.['value']);
  const { agentId, latestRootBlobId: root } = meta ?? {};
  if (meta === null || typeof root !== 'string')
    return yield createTraceProblem(source, null, 'the chat does not name the blob with its messages');
  const id = typeof agentId === 'string' ? agentId : source.name;
  if (!isNewSession(context, id)) return;
  const bytes = Number(
    database.prepare('SELECT total(length(data)) AS bytes FROM blobs').get()?.['bytes'] ?? 0,
  );
  if (bytes > limits.heldBytes) return yield createSizeProblem(context, id);
  count(bytes);
  const find = database.prepare('SELECT data FROM blobs WHERE id = ?');
  const messages = listChatMessages(root, (blob) => toBytes(find.get(blob)?.['data']));
  if (messages.length === 0)
    yield createTraceProblem(source, null, `the chat ${id} has no messages that can be read`);
  else yield* listParsedItems(source, { cursorChat: meta, messages }, id);
}

function parseChatMeta(value: unknown): { readonly [name: string]: Json } | null {
  const text = toText(value);
  const json = parseRowData(/^[\da-f]+$/i.test(text) ? Buffer.from(text, 'hex').toString('utf8') : text);
  return typeof json === 'object' && json !== null ? (json as { readonly [name: string]: Json }) : null;
}

/** The begin of a reference in a blob that links to others: a field of a protocol buffer with 32 bytes, a blob's id. */
const linkSign = Buffer.from([0x0a, 0x20]);
const linkLength = 34;
const jsonSign = 0x7b;

/** Lists the messages below a blob in their order; null for a blob that is missing or of another kind. */
function listChatMessages(root: string, read: (id: string) => Buffer | null): readonly Json[] {
  const messages: Json[] = [];
  const seen = new Set<string>();
  const pending = [root];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    // A message may stand in a conversation several times, but a blob that links to itself has no end.
    const data = read(id);
    if (data?.[0] === jsonSign) messages.push(parseRowData(data.toString('utf8')));
    else if (data === null || !data.subarray(0, 2).equals(linkSign)) messages.push(null);
    else if (!seen.has(id)) {
      seen.add(id);
      pending.push(...listLinks(data).toReversed());
    }
  }
  return messages;
}

function listLinks(data: Buffer): readonly string[] {
  const links: string[] = [];
  for (let at = 0; at + linkLength <= data.length; at += linkLength) {
    if (!data.subarray(at, at + 2).equals(linkSign)) break;
    links.push(data.toString('hex', at + 2, at + linkLength));
  }
  return links;
}

function toBytes(value: unknown): Buffer | null {
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? Buffer.from(value) : null;
}

function toText(value: unknown): string {
  return toBytes(value)?.toString('utf8') ?? '';
}
