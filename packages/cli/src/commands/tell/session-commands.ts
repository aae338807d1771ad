/** The commands of `pawl tell` and their arguments. */
export const sessionCommandUsage = {
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

export type SessionCommandName = keyof typeof sessionCommandUsage;
