export {
  commandLimits,
  createQueueFullError,
  serializeCommand,
  type CommandChannel,
  type PendingCommand,
  type SendCommandOptions,
} from './commands/channel.ts';
export {
  createCommandEvent,
  parseCommand,
  type SessionCommand,
  getExecutedCommand,
  markExecutedCommand,
} from './commands/command.ts';
export { createCommandInbox, type CommandInbox } from './agent/command-inbox.ts';
