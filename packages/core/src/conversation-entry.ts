export {
  appendItem,
  appendItems,
  emptyConversation,
  getLastItem,
  iterateItems,
  toItemArray,
} from './conversation/conversation.ts';
export type { ConversationHistory } from './conversation/conversation.ts';
