import { commandLimits } from '../commands/channel.ts';
import type { CommandRows } from './rows.ts';
import type { PrepareStatement } from './sqlite-store.ts';

type CommandRowMethods = 'addCommand' | 'commands' | 'findCommandId' | 'removeCommands';

/** Stores session commands. An executed command keeps its request id but not its text. */
export function createSqliteCommands(prepare: PrepareStatement): Pick<CommandRows, CommandRowMethods> {
  const session = '(SELECT number FROM sessions WHERE id = ?)';
  const add = prepare(
    `INSERT INTO commands (session, request, text) VALUES (${session}, ?, ?) RETURNING number`,
  );
  const pending = prepare(
    `SELECT number, text FROM commands WHERE session = ${session} AND text IS NOT NULL ORDER BY number LIMIT ?`,
  );
  const byRequest = prepare(`SELECT number FROM commands WHERE session = ${session} AND request = ?`);
  const markExecuted = prepare(`UPDATE commands SET text = NULL WHERE session = ${session} AND number = ?`);
  const removeOld = prepare(
    `DELETE FROM commands WHERE session = ${session} AND text IS NULL AND (request IS NULL OR number <= (
       SELECT number FROM commands WHERE session = ${session} AND request IS NOT NULL
       ORDER BY number DESC LIMIT 1 OFFSET ${commandLimits.requestIdsMax}
     ))`,
  );
  return {
    addCommand: (id, text, request) => String(add().get(id, request, text)?.['number']),
    commands: (id, limit) =>
      pending()
        .all(id, limit)
        .map((row) => ({ id: String(row['number']), text: String(row['text']) })),
    findCommandId: (id, request) => {
      const row = byRequest().get(id, request);
      return row === undefined ? undefined : String(row['number']);
    },
    removeCommands: (id, commands) => {
      for (const command of commands) markExecuted().run(id, command);
      removeOld().run(id, id);
    },
  };
}
