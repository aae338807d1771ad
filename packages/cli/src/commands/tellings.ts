/** What `pawl tell` can ask, and what follows each. */
export const tellings = {
  say: '<text>',
  allow: '[call]',
  deny: '[call]',
  pause: '',
  resume: '',
  finish: '',
  cancel: '',
  halt: '',
  phase: '<number> <description>',
  pin: '<key>',
  unpin: '<key>',
  evict: '<key>',
} as const;

export type Telling = keyof typeof tellings;
