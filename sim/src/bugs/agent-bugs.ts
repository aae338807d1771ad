import { type ConversationMessage, appendItem, emptyConversation, iterateItems } from '@pawl/core';
import { Agent, type ModelChunk, type UnstampedEvent } from '@pawl/runtime';
import type { PlantedBug } from './bug.ts';

/** Planted bugs in the agent loop. */
export const agentBugs: readonly PlantedBug[] = [
  {
    name: 'acknowledge-early',
    what: 'a user message is acknowledged before it is persisted',
    parts: {
      agent: (options) =>
        new (class extends Agent {
          override post(event: UnstampedEvent): Promise<boolean> {
            const posted = super.post(event);
            return 'text' in event ? Promise.resolve(true) : posted;
          }
        })(options),
    },
  },
  {
    name: 'start-early',
    what: 'a call runs while its start is still being persisted',
    parts: {
      agent: (options) =>
        new (class extends Agent {
          override post(event: UnstampedEvent): Promise<boolean> {
            const posted = super.post(event);
            return event.type === 'tool-started' ? Promise.resolve(true) : posted;
          }
        })(options),
    },
  },
  {
    name: 'answers-without-request',
    what: 'an answer is matched by call id only, without its request',
    parts: {
      agent: (options) =>
        new (class extends Agent {
          override post(event: UnstampedEvent): Promise<boolean> {
            if (event.type !== 'tool-finished' && event.type !== 'permission-decided')
              return super.post(event);
            const { request: _, ...unnumbered } = event;
            return super.post(unnumbered);
          }
        })(options),
    },
  },
  {
    name: 'approval-by-tool',
    what: 'one approval allows every call of that tool',
    parts: {
      options: (options) => {
        const allowed = new Set<string>();
        const { decide } = options;
        if (decide === undefined) return options;
        return {
          ...options,
          async decide(call, signal) {
            if (allowed.has(call.tool)) return { decision: 'allow' };
            const answer = await decide(call, signal);
            if (answer.decision === 'allow') allowed.add(call.tool);
            return answer;
          },
        };
      },
    },
  },
  {
    name: 'partial-reply',
    what: 'a truncated reply is treated as complete',
    parts: {
      model: (model) => ({
        ...model,
        async *stream(request, signal) {
          let text = '';
          let isComplete = false;
          for await (const chunk of model.stream(request, signal)) {
            if (chunk.type === 'text') text += chunk.text;
            isComplete = chunk.type === 'reply' || chunk.type === 'failure';
            yield chunk;
          }
          if (!isComplete) yield { type: 'reply', text, calls: [] } satisfies ModelChunk;
        },
      }),
    },
  },
  {
    name: 'hidden-retry',
    what: 'a failed model request is retried without the state machine',
    parts: {
      model: (model) => ({
        ...model,
        async *stream(request, signal) {
          for await (const chunk of model.stream(request, signal)) {
            if (chunk.type === 'failure') return yield* model.stream(request, signal);
            yield chunk;
          }
        },
      }),
    },
  },
  {
    name: 'results-left-out',
    what: 'the model request omits the last tool result',
    parts: {
      model: (model) => ({
        ...model,
        stream: (request, signal) => {
          const messages = [...iterateItems(request.conversation)];
          const last = messages.findLastIndex(({ role }) => role === 'tool');
          const conversation = messages
            .filter((_, index) => index !== last)
            .reduce(appendItem<ConversationMessage>, emptyConversation);
          return model.stream({ ...request, conversation }, signal);
        },
      }),
    },
  },
  {
    name: 'wall-clock',
    what: 'waiting uses the wall clock instead of a monotonic timer',
    parts: {
      clock: (clock) => ({
        ...clock,
        async sleepUntil(at, signal) {
          const pieceMs = 60_000;
          while (!signal.aborted && clock.now() < at)
            await clock.sleepUntil(Math.min(at, clock.now() + pieceMs), signal);
        },
      }),
    },
  },
];
