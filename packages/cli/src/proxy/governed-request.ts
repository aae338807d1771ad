import type { Verdict } from '@pawl/core';
import { messageGovernor, type GovernOptions, type Judgement } from '@pawl/adapters/messages';
import { own, type Fields } from '../json-fields.ts';
import type { Conversations, Heard } from './conversations.ts';
import { withUsage } from './turns.ts';
import type { Wire } from './wire.ts';

/** What becomes of a request. */
export type GovernedRequest =
  | {
      readonly kind: 'sent';
      readonly heard: Heard;
      /** What is to be changed in it; null where it goes on as it came. */
      readonly change: ((body: Fields) => Fields) | null;
      readonly verdict: Verdict | null;
      readonly isFinish: boolean;
    }
  | { readonly kind: 'over'; readonly heard: Heard; readonly reason: string };

/** Null for what is no conversation. */
export type Govern = (wire: Wire, body: Fields, name: string | undefined) => GovernedRequest | null;

/** Judges each request by the conversation that it carries. Advice is added to that request and to no other. */
export function governRequests(conversations: Conversations, options: GovernOptions): Govern {
  const judge: (messages: readonly object[]) => Judgement = messageGovernor(options);
  return (wire, body, name) => {
    const heard = conversations.hear(wire, body, name);
    if (heard === null) return null;
    const { usages } = heard.conversation;
    const { advice, dropTools, isOver, finish, verdict } = judge(
      heard.messages.map((message) => withUsage(message, usages)),
    );
    if (isOver) return { kind: 'over', heard, reason: finish ?? 'the work has come to its end' };
    const advise = (given: Fields): Fields => (advice === null ? given : wire.withAdvice(given, advice));
    const finishing = (given: Fields): Fields => wire.withoutTools(advise(given));
    const change = dropTools ? finishing : advice === null ? null : advise;
    return { kind: 'sent', heard, change, verdict, isFinish: dropTools };
  };
}

/** Whether a request is part of the work of an agent: such have tools, or a past. */
export function isWork({ messages }: Heard, body: Fields): boolean {
  return own(body, 'tools') !== undefined || messages.some((message) => own(message, 'role') === 'assistant');
}
