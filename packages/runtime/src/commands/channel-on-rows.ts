import { foundRow, refuseOtherClaims } from '../store/kept-session.ts';
import type { CommandRows } from '../store/rows.ts';
import { commandLimits, commandText, tooManyWait, type CommandChannel } from './channel.ts';
import { readCommand } from './command.ts';

/** A channel beside the sessions of a store, on whatever holds its rows. */
export function channelOn(rows: CommandRows): CommandChannel {
  return {
    async send(session, command, options = {}) {
      const text = commandText(session, command, options);
      const { requestId = null } = options;
      return rows.write(() => {
        foundRow(rows, session);
        const before = requestId === null ? undefined : rows.commandOf(session, requestId);
        if (before !== undefined) return before;
        const { waiting } = commandLimits;
        if (rows.commands(session, waiting).length >= waiting) throw tooManyWait(session);
        return rows.addCommand(session, text, requestId);
      });
    },
    async waiting(session) {
      const waiting = rows.read(() => rows.commands(session, commandLimits.told));
      return waiting.map(({ id, text }) => ({ id, command: readCommand(text) }));
    },
    async drop(session, id, fence) {
      rows.write(() => {
        if (fence !== undefined) refuseOtherClaims(foundRow(rows, session), fence);
        rows.takeCommands(session, [id]);
      });
    },
  };
}
