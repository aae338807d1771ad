export {
  commandLimits,
  createQueueFullError,
  serializeCommand,
  type CommandChannel,
  type PendingCommand,
  type SendCommandOptions,
  createCommandInbox,
  type CommandInbox,
} from './commands/channel.ts';
export {
  createCommandEvent,
  parseCommand,
  type SessionCommand,
  getExecutedCommand,
  markExecutedCommand,
} from './commands/command.ts';
