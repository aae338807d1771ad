import { setImmediate } from 'node:timers/promises';
import type { Json } from '@pawl/governor';
import type { Store } from '@pawl/runtime/store';
import type { ProxyConversation } from './conversations.ts';
import { recordConversation, emptyRecording, type ConversationUpdate } from './recording.ts';

export type ConversationRecorder = {
  /** Records what is new in a conversation. A failure is reported once and blocks nothing. */
  record(conversation: ProxyConversation, update: ConversationUpdate, model: string): void;
  /** Resolves when everything is recorded. */
  waitUntilIdle(): Promise<void>;
};

export type ConversationRecorderOptions = {
  readonly store: Store;
  /** Metadata stored with every session. */
  readonly metadata: { readonly [name: string]: Json };
  readonly onError: (message: string) => void;
};

export function createConversationRecorder({
  store,
  metadata,
  onError,
}: ConversationRecorderOptions): ConversationRecorder {
  let queue = Promise.resolve();
  let hasFailed = false;
  return {
    record(conversation, update, model) {
      // Sequential, because each update continues the recording that the previous one left.
      queue = queue.then(async () => {
        if (hasFailed) return;
        // Let the request go first, because it must not wait for the recording.
        await setImmediate();
        try {
          const before = conversation.recording ?? emptyRecording;
          conversation.recording = await recordConversation(store, before, update, { ...metadata, model });
        } catch (error) {
          hasFailed = true;
          const reason = error instanceof Error ? error.message : String(error);
          onError(`Recording stopped; later conversations are not recorded: ${reason}`);
        }
      });
    },
    waitUntilIdle: () => queue,
  };
}
