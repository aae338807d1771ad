import type { GovernorSettings, Json, Watch } from '@pawl/core';
import { governor } from './governor.ts';

/** A call as a host is about to make it, or has made it. */
export type HookCall = { readonly tool: string; readonly args: Json };

export type HookOutcome = { readonly ok: boolean; readonly said: string };

type Refused = { readonly call: string; readonly because: string; readonly asked: number };

/** What is known of one agent of a host: plain JSON, bounded, and a function of what the hooks told. */
export type Mind = {
  readonly version: 1;
  /** How many calls there were since the user last spoke. */
  readonly calls: number;
  /** Null as long as nothing was seen. */
  readonly watch: Watch | null;
  /** Calls that are not to be run again until something new has come of others. */
  readonly refused: readonly Refused[];
  /** Why the work is over; null while it may go on. `asked` counts the calls that came all the same. */
  readonly finish: { readonly because: string; readonly asked: number } | null;
};

/** What a host is to be told. */
export type Word =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'advise'; readonly text: string }
  | { readonly kind: 'deny'; readonly text: string }
  | { readonly kind: 'stop'; readonly text: string };

export type Judged = { readonly mind: Mind; readonly word: Word };

export const fresh: Mind = { version: 1, calls: 0, watch: null, refused: [], finish: null };

/** Advice stands among what tools and people said, so it says that it is neither. */
export const mark = '[Note from the run’s governor, not from the user]';

const settings: GovernorSettings = { preset: 'pawl', rules: {} };

const refusedMax = 16;

/** How often a refused call may be asked for before the work is over. */
const insistedMax = 2;

/** How many calls are turned away once the work is over, before the host is stopped. */
const deafMax = 3;

const silence: Word = { kind: 'nothing' };

/** Whether a call may be made. `callsMax` is how many there may be between two words of the user; null for no limit. */
export function beforeCall(mind: Mind, call: HookCall, callsMax: number | null): Judged {
  if (mind.finish !== null) return turnedAway(mind, mind.finish);
  if (callsMax !== null && mind.calls >= callsMax) {
    return turnedAway(mind, { because: over(`The budget of ${callsMax} tool calls is used up.`), asked: 0 });
  }
  if (mind.refused.length === 0) return { mind, word: silence };
  const key = keyOf(call);
  const refused = mind.refused.map((each) => (each.call === key ? { ...each, asked: each.asked + 1 } : each));
  const hit = refused.find((each) => each.call === key);
  if (hit === undefined) return { mind, word: silence };
  if (hit.asked < insistedMax) {
    return { mind: { ...mind, refused }, word: { kind: 'deny', text: `Not run again: ${hit.because}` } };
  }
  return turnedAway({ ...mind, refused }, { because: over(hit.because), asked: 0 });
}

/** Takes in a call that has ended. What we turned away ourselves was never made, and what is over stays over. */
export function afterCall(mind: Mind, call: HookCall, outcome: HookOutcome, at: number): Judged {
  const { ok, said } = outcome;
  if (mind.finish !== null || (!ok && said.includes(mark))) return { mind, word: silence };
  const { isNews, observe, rulesFor, unwatched, verdictOn, watch } = governor();
  const seq = mind.calls + 1;
  const seen = observe({ seq, at, tool: call.tool, args: call.args, ok, said });
  const { watch: watched, finding } = watch(mind.watch ?? unwatched, seen, rulesFor(settings));
  const { work } = watched.seen;
  const isNew = seen.kind === 'work' && isNews(work, work.length - 1);
  const after = { ...mind, calls: seq, watch: watched, refused: isNew ? [] : mind.refused };
  if (finding === null) return { mind: after, word: silence };
  const tools = new Set(work.filter(({ error }) => error === null).map(({ tool }) => tool));
  const { advice } = verdictOn(finding, settings, ok ? null : { args: call.args, said, tools });
  if (finding.level === 'advise') return { mind: after, word: { kind: 'advise', text: advice } };
  if (finding.level === 'refuse') {
    const refused = [...mind.refused.slice(1 - refusedMax), { call: seen.call, because: advice, asked: 0 }];
    return { mind: { ...after, refused }, word: { kind: 'advise', text: advice } };
  }
  const because = over(advice);
  return { mind: { ...after, finish: { because, asked: 0 } }, word: { kind: 'advise', text: because } };
}

/** A person has spoken: what happened before is another story. */
export function afterPrompt(): Mind {
  return fresh;
}

function turnedAway(
  mind: Mind,
  { because, asked }: { readonly because: string; readonly asked: number },
): Judged {
  const finish = { because, asked: asked + 1 };
  const kind = finish.asked > deafMax ? 'stop' : 'deny';
  return { mind: { ...mind, finish }, word: { kind, text: because } };
}

function over(advice: string): string {
  return (
    `This work has come to its end. ${advice} No more tools will be run: answer now with what you have found out, say what ` +
    'you could not do and why, and what is left to do.'
  );
}

/** What a call has in common with the same call made again, however it is written. */
function keyOf({ tool, args }: HookCall): string {
  return governor().observe({ seq: 0, tool, args, ok: true, said: '' }).call;
}
