export {
  createConversationRecorder,
  type ProxyConversation,
  type ConversationRecorder,
  type ConversationRecorderOptions,
  type ConversationUpdate,
} from './recording.ts';
export { createProxy, type ProxyNote, type ProxyOptions, type ProxyServer } from './server.ts';
