export type { ProxyConversation } from './conversations.ts';
export {
  createConversationRecorder,
  type ConversationRecorder,
  type ConversationRecorderOptions,
} from './recorder.ts';
export type { ConversationUpdate } from './recording.ts';
export { createProxy, type ProxyNote, type ProxyOptions, type ProxyServer } from './server.ts';
