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
            thinking: 'Reason step by step, record each step in thinking_log, and choose the next state.',
            executing: `Execute one action: ${actions.join(', ')}.`,
          },
        },
        executing: { available_actions },
      }
    : {
        base: createBasePrompt('think_log', 'commanding'),
        thinking: {
          state_description: {
            thinking: 'Reason step by step, record each step in think_log, and choose the next state.',
            commanding: `Execute one action: ${actions.join(', ')}.`,
            evaluating: 'Evaluate the result of the last action and record it in evaluation_log.',
          },
        },
        commanding: { available_actions },
        evaluating: {
          state_description: {
            evaluating: 'Describe the result of the last action and choose the next state.',
          },
        },
      };
}

function createBasePrompt(thoughts: string, acting: string): Json {
  return {
    role:
      'You are a librarian that works as a state machine. Your working memory is small and your storage is unlimited: you ' +
      `decide what to hold in working memory, what to save to storage and what to load, and report it as next_state and ${thoughts}.`,
    instructions:
      'Reply only with well-formed XML that has one agent element. While thinking, put next_state and ' +
      `${thoughts} into it; while ${acting}, one action with type, tags and, if the action needs one, value.`,
  };
}
