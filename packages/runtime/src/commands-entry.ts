export { commandLimits, createQueueFullError, serializeCommand } from './commands/channel.ts';
export type { CommandChannel, PendingCommand, SendCommandOptions } from './commands/channel.ts';
export { createCommandInbox } from './commands/command-inbox.ts';
export type { CommandInbox } from './commands/command-inbox.ts';
export { createCommandEvent, parseCommand } from './commands/command.ts';
export type { SessionCommand } from './commands/command.ts';
export { getExecutedCommand, markExecutedCommand } from './commands/executed-command.ts';
