/** The profiles that use LKJAgent's memory layout. */
export type LkjProfile = 'lkj' | 'lkj1';

/** The states a memory document can resume in. Paging is an intermediate state, so it is not one of them. */
const resumableStates: { readonly [Profile in LkjProfile]: readonly string[] } = {
  lkj: ['thinking', 'commanding', 'evaluating'],
  lkj1: ['thinking', 'executing'],
};

/** Maps the name of the other profile's action state to this profile's name. */
const stateSynonyms: { readonly [Profile in LkjProfile]: { readonly [state: string]: string } } = {
  lkj: { executing: 'commanding' },
  lkj1: { commanding: 'executing' },
};

export type ParsedLkjState = { readonly state: string; readonly warning: string | null };

/** Returns the state to resume in. A state that cannot be resumed becomes `thinking`, with a warning. */
export function parseLkjState(value: unknown, profile: LkjProfile): ParsedLkjState {
  if (value === undefined) return resetToThinking('The memory document has no state');
  if (typeof value !== 'string') return resetToThinking('The state of the memory document is not a string');
  const name = value.trim();
  if (name === 'paging') return { state: 'thinking', warning: null };
  const renamed = Object.hasOwn(stateSynonyms[profile], name) ? stateSynonyms[profile][name] : name;
  const state = resumableStates[profile].find((each) => each === renamed);
  return state === undefined
    ? resetToThinking(
        `The state ${JSON.stringify(name.slice(0, 60))} is not one of ${resumableStates[profile].join(', ')}`,
      )
    : { state, warning: null };
}

function resetToThinking(problem: string): ParsedLkjState {
  return { state: 'thinking', warning: `${problem}; resetting to thinking.` };
}
