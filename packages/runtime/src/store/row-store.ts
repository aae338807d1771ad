import {
  getGoalText,
  toDurableSession,
  isEphemeralEvent,
  type Event,
  type Session,
  type Json,
} from '@pawl/core';
import {
  type CommandChannel,
  commandLimits,
  serializeCommand,
  createQueueFullError,
  parseCommand,
  getExecutedCommand,
} from './command-channel.ts';
import type { ToolDescription } from '../tools/tool.ts';
import { chainEvents, computeLinkHash } from './chain.ts';
import { serializeJson } from './json-text.ts';
import type { EventRow, StoreRows, SessionRow, CommandRows } from './rows.ts';
import { formatSessionLabel, StoreError } from './store-error.ts';
import type {
  CreateSessionOptions,
  OpenedSession,
  LogPosition,
  SessionSummary,
  Store,
  SessionParent,
} from './store.ts';
import {
  isSnapshotDue,
  createSnapshotRow,
  streamEvents,
  replayStoredSession,
  inspectChain,
  requireCurrentClaim,
  requireUndamagedRow,
  requireRow,
} from './stored-session.ts';

/** Implements the store's rules on top of any row storage. */
export function createRowStore(rows: StoreRows, commands: CommandChannel): Store {
  return {
    commands,
    async create(session, owner, options = {}) {
      return insertSession(rows, session, owner, options);
    },
    async claim(id, owner, from) {
      const fence = claimStoredSession(rows, id, owner, from);
      // No earlier claim can have moved the session since, and a later claim has another fence.
      return { ...openStoredSession(rows, id), fence, owner };
    },
    async open(id, { at } = {}) {
      return openStoredSession(rows, id, at);
    },
    async append(id, at, events, after) {
      return appendEvents(rows, id, at, { events, after });
    },
    events: (id, after = 0) => streamEvents(rows, id, after),
    async snapshot(id) {
      const { row, session } = replayStoredSession(rows, id, { from: 'beginning' });
      saveSnapshot(rows, row, session);
    },
    async verify(id) {
      const { row, damage } = inspectChain(rows, id);
      return damage === null ? { ok: true, head: row.head } : { ok: false, ...damage };
    },
    async list({ limit = 1_000 } = {}) {
      return rows.read(() => rows.list(limit).map(toSessionSummary));
    },
    async claims(id) {
      return rows.read(() => rows.claims(id));
    },
    async remove(id) {
      return rows.write(() => {
        if (rows.find(id) === undefined) return false;
        rows.remove(id);
        return true;
      });
    },
    async close() {
      rows.close();
    },
  };
}

function insertSession(
  rows: StoreRows,
  session: Session,
  owner: string,
  options: CreateSessionOptions,
): LogPosition {
  const { id } = session;
  const { past } = options;
  validateRowName('id', id);
  const initial = serializeJson(toDurableSession(session), formatSessionLabel(id));
  const initialRow = createSessionRow(session, owner, initial, options);
  const { row, links } =
    past === undefined ? { row: initialRow, links: [] } : extendWithPast(initialRow, past);
  const inserted = rows.write(() => {
    if (rows.find(id) !== undefined)
      throw new StoreError('conflict', formatSessionLabel(id), 'it already exists');
    const claimed = { ...row, fence: rows.nextFence() };
    rows.insert(claimed, initial);
    rows.addEvents(id, links);
    recordClaim(rows, claimed);
    return claimed;
  });
  if (past !== undefined && isSnapshotDue(inserted)) trySaveSnapshot(rows, inserted, past.after);
  return { fence: inserted.fence, head: inserted.head };
}

/** A forked session counts as updated now, regardless of the times of its inherited events. */
function extendWithPast(initialRow: SessionRow, { events, after }: EventAddition): ExtendedRow {
  const { row, links } = extendSessionRow(initialRow, serializeAddition(initialRow.id, { events, after }));
  const { updatedAt } = initialRow.summary;
  return { row: { ...row, summary: { ...row.summary, updatedAt } }, links };
}

function openStoredSession(rows: StoreRows, id: string, at?: number): OpenedSession {
  const { row, session, head, replayed } = replayStoredSession(rows, id, { from: 'snapshot', at });
  const { fence, owner, metadata, parent } = row;
  return { session, fence, head, owner, metadata: parseMetadata(metadata), parent, replayed };
}

/** Returns the fence of the new claim. */
function claimStoredSession(rows: StoreRows, id: string, owner: string, from: number | undefined): number {
  validateRowName('owner', owner);
  return rows.write(() => {
    const row = requireUndamagedRow(rows, id);
    if (from !== undefined) requireCurrentClaim(row, from);
    const fence = rows.nextFence();
    rows.update({ ...row, fence, owner });
    recordClaim(rows, { ...row, owner });
    return fence;
  });
}

function recordClaim(rows: StoreRows, { id, owner, head, summary }: SessionRow): void {
  rows.addClaim(id, { owner, head, status: summary.status });
}

type EventAddition = { readonly events: readonly Event[]; readonly after: Session };

function appendEvents(rows: StoreRows, id: string, at: LogPosition, addition: EventAddition): LogPosition {
  const serialized = serializeAddition(id, addition);
  const commands = addition.events.flatMap((event) => getExecutedCommand(event) ?? []);
  const updated = rows.write(() => {
    const before = requireUndamagedRow(rows, id);
    requireCurrentClaim(before, at.fence);
    if (at.head !== before.head) {
      throw new StoreError(
        'conflict',
        formatSessionLabel(id),
        `it is at event ${before.head}, not ${at.head}`,
      );
    }
    const { row, links } = extendSessionRow(before, serialized);
    rows.addEvents(id, links);
    rows.update(row);
    if (commands.length > 0) rows.removeCommands(id, commands);
    return row;
  });
  if (isSnapshotDue(updated)) trySaveSnapshot(rows, updated, addition.after);
  return { fence: updated.fence, head: updated.head };
}

type SerializedAddition = EventAddition & { readonly texts: readonly string[] };

/** Drops ephemeral events and serializes the rest. */
function serializeAddition(id: string, { events, after }: EventAddition): SerializedAddition {
  const durable = events.filter((event) => !isEphemeralEvent(event));
  return {
    events: durable,
    after,
    texts: durable.map((event) => serializeJson(event, formatSessionLabel(id))),
  };
}

type ExtendedRow = { readonly row: SessionRow; readonly links: readonly EventRow[] };

function extendSessionRow(before: SessionRow, { events, after, texts }: SerializedAddition): ExtendedRow {
  const links = chainEvents(before, texts);
  const row = {
    ...before,
    head: before.head + links.length,
    hash: links.at(-1)?.hash ?? before.hash,
    tailBytes: before.tailBytes + texts.reduce((sum, text) => sum + text.length, 0),
    summary: updateRowSummary(before.summary, events, after),
  };
  return { row, links };
}

/** Ignores failures: the events are already stored, and a snapshot only saves time. */
function trySaveSnapshot(rows: StoreRows, row: SessionRow, after: Session): void {
  try {
    saveSnapshot(rows, row, toDurableSession(after));
  } catch {
    // The next append tries again.
  }
}

function saveSnapshot(rows: StoreRows, row: SessionRow, session: Session): void {
  const text = serializeJson(session, formatSessionLabel(row.id));
  rows.write(() => {
    const current = rows.find(row.id);
    if (current === undefined || current.snapshotHead > row.head) return;
    // Without events a snapshot saves nothing, and if the session was recreated the snapshot would belong to the old
    // one.
    if (rows.events(row.id, row.head - 1, 1)[0]?.hash !== row.hash) return;
    rows.putSnapshot(row.id, createSnapshotRow(row, text));
    rows.update({ ...current, snapshotHead: row.head, snapshotBytes: text.length, tailBytes: 0 });
  });
}

function toSessionSummary({
  id,
  head,
  owner,
  damage,
  summary,
  metadata,
  parent,
}: SessionRow): SessionSummary {
  const { status } = summary;
  const displayStatus = damage === null ? status : 'damaged';
  return { id, ...summary, status: displayStatus, head, owner, metadata: parseMetadata(metadata), parent };
}

/** Creates the row of a session without events, before its first claim; throws if a value cannot be stored. */
function createSessionRow(
  session: Session,
  owner: string,
  initial: string,
  options: CreateSessionOptions,
): SessionRow {
  const { id, seq } = session;
  const { past, metadata = null, createdAt = (past?.after ?? session).turn.since } = options;
  validateRowName('owner', owner);
  validateRowNumber('time of creation', createdAt, Number.isFinite(createdAt));
  return {
    id,
    owner,
    fence: 0,
    head: seq,
    hash: computeLinkHash('', initial),
    damage: null,
    summary: createRowSummary(session, createdAt),
    metadata: serializeMetadata(metadata, formatSessionLabel(id)),
    parent: past === undefined ? null : validateParent(past.parent),
    snapshotHead: seq,
    snapshotBytes: initial.length,
    tailBytes: 0,
  };
}

function validateParent({ id, at }: SessionParent): SessionParent {
  validateRowName('id', id);
  validateRowNumber('number of the last event of the parent', at, Number.isSafeInteger(at) && at >= 0);
  return { id, at };
}

function validateRowNumber(label: string, value: number, isValid: boolean): void {
  if (!isValid) throw new StoreError('invalid', label, String(value));
}

const rowNameMax = 200;

function validateRowName(label: string, name: string): void {
  const isValid = name.length > 0 && name.length <= rowNameMax && name.isWellFormed() && !name.includes('\0');
  if (isValid) return;
  const reason = `an ${label} has 1 to ${rowNameMax} characters of valid Unicode without NUL`;
  throw new StoreError('invalid', JSON.stringify(name.slice(0, rowNameMax)), reason);
}

function createRowSummary({ profile, turn }: Session, createdAt: number): SessionRow['summary'] {
  const { status } = turn;
  return { profile: toSummaryLine(profile), goal: null, status, createdAt, updatedAt: createdAt, steps: 0 };
}

/** Returns the summary after additional events. */
function updateRowSummary(
  before: SessionRow['summary'],
  events: readonly Event[],
  after: Session,
): SessionRow['summary'] {
  return {
    ...before,
    status: after.turn.status,
    goal: before.goal ?? findGoal(events),
    updatedAt: events.at(-1)?.at ?? before.updatedAt,
    steps: before.steps + events.filter(({ type }) => type === 'model-replied').length,
  };
}

function findGoal(events: readonly Event[]): string | null {
  for (const event of events) {
    const text = getGoalText(event);
    if (text !== null) return toSummaryLine(text);
  }
  return null;
}

const summaryLengthMax = 200;

/** Truncates a text and removes characters that a database would not return unchanged. */
function toSummaryLine(text: string): string {
  return text.slice(0, summaryLengthMax).replaceAll('\0', ' ').toWellFormed();
}

/** Creates a command channel on the rows of a session store. */
export function createRowCommandChannel(rows: CommandRows): CommandChannel {
  return {
    async send(session, command, options = {}) {
      const text = serializeCommand(session, command, options);
      const { requestId = null } = options;
      return rows.write(() => {
        requireRow(rows, session);
        const existingId = requestId === null ? undefined : rows.findCommandId(session, requestId);
        if (existingId !== undefined) return existingId;
        const { pendingMax } = commandLimits;
        if (rows.commands(session, pendingMax).length >= pendingMax) throw createQueueFullError(session);
        return rows.addCommand(session, text, requestId);
      });
    },
    async listPending(session) {
      const pending = rows.read(() => rows.commands(session, commandLimits.listedMax));
      return pending.map(({ id, text }) => ({ id, command: parseCommand(text) }));
    },
    async remove(session, id, fence) {
      rows.write(() => {
        if (fence !== undefined) requireCurrentClaim(requireRow(rows, session), fence);
        rows.removeCommands(session, [id]);
      });
    },
  };
}

/** Limited because every session list reads it. */
const metadataLengthMax = 10_000;

/** Serializes a session's metadata for storage. */
function serializeMetadata(metadata: Json, where: string): string | null {
  if (metadata === null) return null;
  const text = serializeJson(metadata, where);
  if (text.length <= metadataLengthMax) return text;
  const reason = `its metadata has ${text.length} characters; the limit is ${metadataLengthMax}`;
  throw new StoreError('invalid', where, reason);
}

/** Returns null for unreadable metadata, because the session itself is still usable. */
function parseMetadata(text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

/** Returns a metadata field of a session if it is a string. */
export function getMetadataText(metadata: Json, key: string): string | null {
  const text = getMetadataValue(metadata, key);
  return typeof text === 'string' ? text : null;
}

/** Returns the tools that a run offered its model, if the metadata records them. */
export function getMetadataTools(metadata: Json): readonly ToolDescription[] | null {
  const tools = getMetadataValue(metadata, 'tools');
  return Array.isArray(tools) && tools.every(isToolDescription) ? tools : null;
}

function getMetadataValue(metadata: Json, key: string): unknown {
  if (metadata === null || typeof metadata !== 'object' || !Object.hasOwn(metadata, key)) return null;
  return Reflect.get(metadata, key);
}

function isToolDescription(tool: unknown): tool is ToolDescription {
  return (
    typeof tool === 'object' &&
    tool !== null &&
    'name' in tool &&
    typeof tool.name === 'string' &&
    'description' in tool &&
    typeof tool.description === 'string' &&
    'parameters' in tool
  );
}
