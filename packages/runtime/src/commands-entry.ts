export {
  commandLimits,
  createQueueFullError,
  serializeCommand,
  type CommandChannel,
  type PendingCommand,
  type SendCommandOptions,
  createCommandEvent,
  parseCommand,
  type SessionCommand,
  getExecutedCommand,
  markExecutedCommand,
} from './store/command-channel.ts';

export { createCommandInbox, type CommandInbox } from './agent/command-inbox.ts';
