import { setImmediate } from 'node:timers/promises';
import type { Json } from '@pawl/core';
import type { Store } from '@pawl/runtime';
import type { Conversation } from './conversations.ts';
import { record, unrecorded, type Account } from './recording.ts';

export type Recorder = {
  /** Keeps what is new in a conversation. What cannot be kept is said once and stops nobody. */
  keep(conversation: Conversation, account: Account, model: string): void;
  /** Resolves when all is kept. */
  settled(): Promise<void>;
};

export type RecorderOptions = {
  readonly store: Store;
  /** What is written down with every session. */
  readonly about: { readonly [name: string]: Json };
  readonly onTrouble: (message: string) => void;
};

export function createRecorder({ store, about, onTrouble }: RecorderOptions): Recorder {
  let queue = Promise.resolve();
  let isBroken = false;
  return {
    keep(conversation, account, model) {
      // One after the other: each goes on from where the one before it left the record.
      queue = queue.then(async () => {
        if (isBroken) return;
        // The request goes first: nobody waits for the record.
        await setImmediate();
        try {
          const before = conversation.recording ?? unrecorded;
          conversation.recording = await record(store, before, account, { ...about, model });
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
