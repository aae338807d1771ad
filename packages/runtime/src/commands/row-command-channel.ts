import { requireRow, requireCurrentClaim } from '../store/stored-session.ts';
import type { CommandRows } from '../store/rows.ts';
import { commandLimits, serializeCommand, createQueueFullError, type CommandChannel } from './channel.ts';
import { parseCommand } from './command.ts';

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
