import type { RequestedCall } from '../event.ts';

/** What a verdict asks the turn machine to do about it, mildest first. */
export type Response =
  | { readonly kind: 'advise' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'run'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'recover' }
  | { readonly kind: 'finish' }
  | { readonly kind: 'halt' };

/** A judgement on the work so far: which rule, why, the events that prove it, and what to do instead. */
export type Verdict = {
  readonly level: 'suspect' | 'stuck';
  readonly rule: string;
  readonly reason: string;
  readonly advice: string;
  /** Sequence numbers of the events that prove it. */
  readonly evidence: readonly number[];
  readonly response: Response;
};
