import { commandLimits } from '../commands/channel.ts';
import type { CommandRows } from './rows.ts';
import type { PrepareStatement } from './sqlite-store.ts';

type CommandRowMethods = 'addCommand' | 'commands' | 'commandOf' | 'takeCommands';

/** Stores session commands. An executed command keeps its request id but not its text. */
export function createSqliteCommands(prepare: PrepareStatement): Pick<CommandRows, CommandRowMethods> {
  const session = '(SELECT number FROM sessions WHERE id = ?)';
  const add = prepare(
    `INSERT INTO commands (session, request, text) VALUES (${session}, ?, ?) RETURNING number`,
  );
  const waiting = prepare(
    `SELECT number, text FROM commands WHERE session = ${session} AND text IS NOT NULL ORDER BY number LIMIT ?`,
  );
  const byRequest = prepare(`SELECT number FROM commands WHERE session = ${session} AND request = ?`);
  const take = prepare(`UPDATE commands SET text = NULL WHERE session = ${session} AND number = ?`);
  const forget = prepare(
    `DELETE FROM commands WHERE session = ${session} AND text IS NULL AND (request IS NULL OR number <= (
       SELECT number FROM commands WHERE session = ${session} AND request IS NOT NULL
       ORDER BY number DESC LIMIT 1 OFFSET ${commandLimits.requests}
     ))`,
  );
  return {
    addCommand: (id, text, request) => String(add().get(id, request, text)?.['number']),
    commands: (id, limit) =>
      waiting()
        .all(id, limit)
        .map((row) => ({ id: String(row['number']), text: String(row['text']) })),
    commandOf: (id, request) => {
      const row = byRequest().get(id, request);
      return row === undefined ? undefined : String(row['number']);
    },
    takeCommands: (id, commands) => {
      for (const command of commands) take().run(id, command);
      forget().run(id, id);
    },
  };
}
