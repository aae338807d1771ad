import { existsSync, statSync } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Json } from '@pawl/core';
import { detectTraceFormat } from '@pawl/governor/traces';
import { isCursorChat, isCursorState, readCursorChat, readCursorState } from './cursor-stores.ts';
import { createTraceProblem } from './read-lines.ts';
import {
  createSizeProblem,
  isNewSession,
  listParsedItems,
  parseRowData,
  type SessionStoreContext,
} from './session-store-context.ts';
import type { TraceItem } from './trace-item.ts';

/**
 * Reads the sessions of a source that is not one file of JSON: a session spread over several files, or a database.
 * Returns null if the source is neither.
 */
export async function openSessionStore(
  context: SessionStoreContext,
): Promise<AsyncIterable<TraceItem> | Iterable<TraceItem> | null> {
  const { path, isFromFolder } = context.source;
  if (path === null) return null;
  const head = await readFileHead(path);
  if (head === null) return null;
  if (head === databaseSign) return readDatabaseSessions(context, path);
  const absolute = resolve(path);
  if (opencodeSessionPath.test(absolute)) return readOpencodeFiles(context, absolute);
  if (basename(absolute) === clineConversationName) return readClineTask(context, absolute);
  const transcript = cursorTranscriptPath.exec(absolute)?.[1];
  if (transcript !== undefined) return isNewSession(context, transcript) ? null : [];
  const conversation = join(dirname(absolute), clineConversationName);
  const isPiece = isFromFolder && basename(absolute) === clineInterfaceName && existsSync(conversation);
  return isPiece ? [] : null;
}

/** Folders of opencode without whole sessions: the pieces that `openSessionStore` joins, and git snapshots. */
export function isSessionPieceFolder(path: string): boolean {
  return /(?:^|\/)(?:message\/ses_[^/]+|part\/(?:msg|ses)_[^/]+|snapshot\/[^/]+\/[\da-f]{40})$/.test(path);
}

/** Files that coding agents write beside their sessions: indexes, settings and what their user interface shows. */
export function isCompanionFile(path: string): boolean {
  const unified = path.replaceAll('\\', '/');
  return (
    /(?:^|\/)(?:logs|sessions|sessions-index|ui_messages|task_metadata|context_history|taskHistory|settings)\.json$/.test(
      unified,
    ) ||
    /\/storage\/(?:session_diff|session_share|project|todo|permission|usage)\/|\/checkpoints\/|\/rewind-(?:file-)?snapshots\/|\.lock$|(?:^|\/)([^/]+)\/\1\.json$/.test(
      unified,
    )
  );
}

/** `storage/session/<project>/<session>.json`; in older versions `storage/session/info/<session>.json`. */
const opencodeSessionPath = /[\\/]session[\\/][^\\/]+[\\/]ses_[^\\/]+\.json$/;

/** Cursor writes a transcript of each session, without the results of calls, beside what its databases hold. */
const cursorTranscriptPath = /[\\/]agent-transcripts[\\/](?:[^\\/]+[\\/])*([^\\/]+)\.jsonl$/;

async function* readOpencodeFiles(context: SessionStoreContext, path: string): AsyncGenerator<TraceItem> {
  const { source } = context;
  const reader = new PieceReader(context);
  const id = basename(path, '.json');
  const info = await reader.readFile(path);
  const isOld = basename(dirname(path)) === 'info';
  const root = resolve(path, isOld ? '../..' : '../../..');
  const messages: Json[] = [];
  for (const file of await listJsonFiles(join(root, 'message', id))) {
    const message = await reader.readFile(join(root, 'message', id, file));
    const partFolder = join(root, 'part', ...(isOld ? [id] : []), basename(file, '.json'));
    const parts: Json[] = [];
    for (const part of await listJsonFiles(partFolder)) {
      const value = await reader.readFile(join(partFolder, part));
      if (value !== null) parts.push(value);
    }
    if (message !== null) messages.push({ info: message, parts });
    if (reader.isFull) break;
  }
  yield* reader.problems;
  if (reader.isFull) yield createSizeProblem(context, id);
  else if (messages.length > 0 && isNewSession(context, id))
    yield* listParsedItems(source, { info: info ?? { id }, messages }, id);
}

/** The ids of messages and parts rise with the time. */
async function listJsonFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  } catch {
    return [];
  }
}

/** Reads the files of one session, up to the number of bytes that may be held. */
class PieceReader {
  readonly problems: TraceItem[] = [];
  readonly #context: SessionStoreContext;
  #bytes = 0;

  constructor(context: SessionStoreContext) {
    this.#context = context;
  }

  get isFull(): boolean {
    return this.#bytes > this.#context.limits.heldBytes;
  }

  /** Returns null for a file that cannot be used, which becomes a problem. */
  async readFile(path: string): Promise<Json> {
    try {
      this.#bytes += (await stat(path)).size;
      if (this.isFull) return null;
      const text = await readFile(path, 'utf8');
      this.#context.count(Buffer.byteLength(text));
      return JSON.parse(text) as Json;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isSyntax = error instanceof SyntaxError;
      const text = isSyntax ? `invalid JSON: ${message}` : `reading failed: ${message}`;
      this.problems.push({ problem: { file: path, line: null, message: text } });
      return null;
    }
  }
}

const clineConversationName = 'api_conversation_history.json';
const clineInterfaceName = 'ui_messages.json';

/** A task of Cline: the conversation, and the messages of the user interface, which hold the usage. */
async function* readClineTask(context: SessionStoreContext, path: string): AsyncGenerator<TraceItem> {
  const reader = new PieceReader(context);
  const id = basename(dirname(path));
  const conversation = await reader.readFile(path);
  const uiPath = join(dirname(path), clineInterfaceName);
  const uiMessages = existsSync(uiPath) ? await reader.readFile(uiPath) : null;
  yield* reader.problems;
  if (reader.isFull) return yield createSizeProblem(context, id);
  if (conversation === null) return;
  const task = { api_conversation_history: conversation, ui_messages: uiMessages };
  yield* listParsedItems(context.source, detectTraceFormat(task) === null ? conversation : task, id);
}

const databaseSign = 'SQLite format 3\0';

/** Returns null if the path is not a readable file; reading its contents then reports the error. */
async function readFileHead(path: string): Promise<string | null> {
  // A pipe must not be opened twice.
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  const file = isFile ? await open(path).catch(() => null) : null;
  if (file === null) return null;
  try {
    const length = databaseSign.length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

async function* readDatabaseSessions(context: SessionStoreContext, path: string): AsyncGenerator<TraceItem> {
  const { source } = context;
  let database: DatabaseSync | null = null;
  try {
    database = openReadOnlyDatabase(path);
    if (isOpencodeDatabase(database)) yield* readOpencodeDatabase(context, database);
    else if (isCursorState(database)) yield* readCursorState(context, database);
    else if (isCursorChat(database)) yield* readCursorChat(context, database);
    else if (!source.isFromFolder)
      yield createTraceProblem(source, null, 'it is a database, but not one of opencode or Cursor');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    yield createTraceProblem(source, null, `reading the database failed: ${message}`);
  } finally {
    database?.close();
  }
}

/**
 * Opens a database without writing to it. Without a write-ahead log the file is complete, and SQLite need not create
 * its companion files beside it.
 */
function openReadOnlyDatabase(path: string): DatabaseSync {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const hasLog = log !== undefined && log.size > 0;
  const url = pathToFileURL(resolve(path));
  if (!hasLog) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: databaseWaitMs });
}

const databaseWaitMs = 2_000;

function isOpencodeDatabase(database: DatabaseSync): boolean {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')")
    .all();
  return tables.length === 3;
}

function* readOpencodeDatabase(context: SessionStoreContext, database: DatabaseSync): Generator<TraceItem> {
  const { source, limits, count } = context;
  const sessions = database
    .prepare('SELECT id, parent_id AS parent FROM session ORDER BY time_created, id')
    .all();
  const size = database.prepare(
    'SELECT (SELECT total(length(data)) FROM message WHERE session_id = ?1) + (SELECT total(length(data)) FROM part WHERE session_id = ?1) AS bytes',
  );
  const messages = database.prepare(
    'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id',
  );
  const parts = database.prepare(
    'SELECT message_id AS message, data FROM part WHERE session_id = ? ORDER BY message_id, id',
  );
  for (const { id, parent } of sessions) {
    const session = String(id);
    if (!isNewSession(context, session)) continue;
    const bytes = Number(size.get(session)?.['bytes'] ?? 0);
    if (bytes > limits.heldBytes) {
      yield createSizeProblem(context, session);
      continue;
    }
    count(bytes);
    const partsByMessage = Map.groupBy(parts.all(session), ({ message }) => String(message));
    const joined = messages.all(session).map((row): Json => ({
      info: parseRowData(row['data']),
      parts: (partsByMessage.get(String(row['id'])) ?? []).map(({ data }) => parseRowData(data)),
    }));
    const info = { id: session, ...(typeof parent === 'string' ? { parentID: parent } : {}) };
    if (joined.length > 0) yield* listParsedItems(source, { info, messages: joined }, session);
  }
}
