/** The profiles that keep memory as LKJAgent does. */
export type LkjProfile = 'lkj' | 'lkj1';

/** The states a memory document may be resumed in. Paging is a state on the way, not one to begin in. */
const states: { readonly [Profile in LkjProfile]: readonly string[] } = {
  lkj: ['thinking', 'commanding', 'evaluating'],
  lkj1: ['thinking', 'executing'],
};

/** What one profile calls the state that carries actions out, the other calls by its own name. */
const ownName: { readonly [Profile in LkjProfile]: { readonly [state: string]: string } } = {
  lkj: { executing: 'commanding' },
  lkj1: { commanding: 'executing' },
};

export type ReadState = { readonly state: string; readonly warning: string | null };

/** The state to go on in. Whatever is not one to begin in becomes `thinking`, and is said. */
export function readLkjState(value: unknown, profile: LkjProfile): ReadState {
  if (value === undefined) return reset('The memory document has no state');
  if (typeof value !== 'string') return reset('The state of the memory document is not a text');
  const name = value.trim();
  if (name === 'paging') return { state: 'thinking', warning: null };
  const renamed = Object.hasOwn(ownName[profile], name) ? ownName[profile][name] : name;
  const state = states[profile].find((each) => each === renamed);
  return state === undefined
    ? reset(`The state ${JSON.stringify(name.slice(0, 60))} is not one of ${states[profile].join(', ')}`)
    : { state, warning: null };
}

function reset(what: string): ReadState {
  return { state: 'thinking', warning: `${what}: resetting to thinking.` };
}
