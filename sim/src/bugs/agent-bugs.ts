import { appendItem, emptyConversation, iterateItems, type ConversationMessage } from '@pawl/core';
import { Agent, type ModelChunk, type UnstampedEvent } from '@pawl/runtime';
import type { PlantedBug } from './bug.ts';

/** Planted bugs in the agent loop. */
export const agentBugs: readonly PlantedBug[] = [
  {
    name: 'acknowledge-early',
    what: 'the user is told that a message is kept before it is',
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
    what: 'a call runs while its start is still being kept',
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
    what: 'an answer is taken by the id of its call alone, whichever request it belongs to',
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
    what: 'what was allowed once is allowed for every call of that tool',
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
    what: 'a reply that broke off is taken for a whole one',
    parts: {
      model: (model) => ({
        ...model,
        async *stream(request, signal) {
          let text = '';
          let isOver = false;
          for await (const chunk of model.stream(request, signal)) {
            if (chunk.type === 'text') text += chunk.text;
            isOver = chunk.type === 'reply' || chunk.type === 'failure';
            yield chunk;
          }
          if (!isOver) yield { type: 'reply', text, calls: [] } satisfies ModelChunk;
        },
      }),
    },
  },
  {
    name: 'hidden-retry',
    what: 'a model that fails is asked again behind the back of the machine',
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
    what: 'the model is sent a conversation without the last result',
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
    what: 'how long to wait is told by a clock that can be set',
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
