import { setImmediate } from 'node:timers/promises';
import type { Json } from '@pawl/core';
import type { Store } from '@pawl/runtime';
import type { ProxyConversation } from './conversations.ts';
import { recordConversation, emptyRecording, type ConversationUpdate } from './recording.ts';

export type ConversationRecorder = {
  /** Records what is new in a conversation. A failure is reported once and blocks nothing. */
  keep(conversation: ProxyConversation, account: ConversationUpdate, model: string): void;
  /** Resolves when everything is recorded. */
  settled(): Promise<void>;
};

export type ConversationRecorderOptions = {
  readonly store: Store;
  /** Metadata stored with every session. */
  readonly about: { readonly [name: string]: Json };
  readonly onTrouble: (message: string) => void;
};

export function createConversationRecorder({
  store,
  about,
  onTrouble,
}: ConversationRecorderOptions): ConversationRecorder {
  let queue = Promise.resolve();
  let isBroken = false;
  return {
    keep(conversation, account, model) {
      // Sequential, because each update continues the recording that the previous one left.
      queue = queue.then(async () => {
        if (isBroken) return;
        // Let the request go first, because it must not wait for the recording.
        await setImmediate();
        try {
          const before = conversation.recording ?? emptyRecording;
          conversation.recording = await recordConversation(store, before, account, { ...about, model });
        } catch (error) {
          isBroken = true;
          const reason = error instanceof Error ? error.message : String(error);
          onTrouble(`Conversations are not kept from now on: ${reason}`);
        }
      });
    },
    settled: () => queue,
  };
}
