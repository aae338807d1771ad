export { commandLimits, createQueueFullError, serializeCommand } from './commands/channel.ts';
export type { CommandChannel, PendingCommand, SendCommandOptions } from './commands/channel.ts';
export { createCommandInbox } from './commands/command-inbox.ts';
export type { CommandInbox } from './commands/command-inbox.ts';
export {
  createCommandEvent,
  parseCommand,
  type SessionCommand,
  getExecutedCommand,
  markExecutedCommand,
} from './commands/command.ts';
