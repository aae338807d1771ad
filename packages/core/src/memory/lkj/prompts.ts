import type { Json } from '@pawl/governor';
import { memoryActions } from '../memory-action.ts';
import { memorySettings } from '../settings.ts';
import type { LkjProfile } from './states.ts';

/** The prompt of each state, and `base` for all states. The configuration can replace each of them. */
export type LkjPrompts = { readonly [state: string]: Json };

export function createDefaultLkjPrompts(profile: LkjProfile): LkjPrompts {
  const { actions } = memorySettings[profile];
  const available_actions = Object.fromEntries(actions.map((type) => [type, memoryActions[type]]));
  return profile === 'lkj1'
    ? {
        base: createBasePrompt('thinking_log', 'executing'),
        thinking: {
          state_description: {
            thinking: 'Reason step by step, note each step as thinking_log, and choose what to do next.',
            executing: `Carry out one action: ${actions.join(', ')}.`,
          },
        },
        executing: { available_actions },
      }
    : {
        base: createBasePrompt('think_log', 'commanding'),
        thinking: {
          state_description: {
            thinking: 'Reason step by step, note each step as think_log, and choose what to do next.',
            commanding: `Carry out one action: ${actions.join(', ')}.`,
            evaluating: 'Judge what the last action achieved and note it as evaluation_log.',
          },
        },
        commanding: { available_actions },
        evaluating: {
          state_description: { evaluating: 'Say what the last action achieved and what comes next.' },
        },
      };
}

function createBasePrompt(thoughts: string, acting: string): Json {
  return {
    role:
      'You are a librarian that works as a state machine. Your working memory is small and your storage has no end: you ' +
      `decide what to hold in mind, what to put on the shelf and what to fetch, and say so as next_state and ${thoughts}.`,
    instructions:
      'Reply with well-formed XML that has one agent element, and nothing else. While thinking, put next_state and ' +
      `${thoughts} into it; while ${acting}, one action with type, tags and, where it needs one, value.`,
  };
}
