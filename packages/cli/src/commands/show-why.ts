import type { Json } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './session-number.ts';
import { evidenceOf, type Evidence } from './show-ending.ts';
import { asksOf, worldKnown } from './show-request.ts';
import { walkSession } from './show-walk.ts';
import { openStep, type OpenStep, type StepRecord } from './show-why-step.ts';
import { whyLines } from './show-why-text.ts';

/** Why a step of a session went the way it did: a step is one time that the model was asked, and what came of that. */
export async function whyText(
  store: Store,
  { id, head }: SessionSummary,
  given: string,
  { about, json, width }: { readonly about: Json; readonly json: boolean; readonly width: number },
): Promise<string> {
  const wanted = wantedOf(given, head);
  const record = await findStep(store, id, { head, wanted, about });
  const proof = await proofOf(store, id, record);
  return json ? JSON.stringify({ type: 'why', ...record, proof }) : whyLines(record, proof, width).join('\n');
}

/** A step by its number, or the one that an event belongs to. */
type Wanted = { readonly by: 'step' | 'event'; readonly number: number };

function wantedOf(given: string, head: number): Wanted {
  const [, event] = /^event:(.*)$/.exec(given.trim()) ?? [];
  if (event === undefined) return { by: 'step', number: wholeNumber('--why', given, 1) };
  const number = wholeNumber('--why event:', event, 1);
  if (number > head) throw new UsageError(`The session has ${head} events; there is no event ${number}.`);
  return { by: 'event', number };
}

type Search = { readonly head: number; readonly wanted: Wanted; readonly about: Json };

/** An event that ends one step and begins the next belongs to the one it ends: it tells how that one went. */
async function findStep(store: Store, id: string, { head, wanted, about }: Search): Promise<StepRecord> {
  const { walked } = await walkSession(store, id, head);
  const world = worldKnown(about);
  let step: OpenStep | null = null;
  let count = 0;
  for await (const each of walked) {
    step?.add(each);
    const isFound = wanted.by === 'event' && each.seq >= wanted.number;
    const asks = asksOf(each, world);
    const isLast = wanted.by === 'step' ? count === wanted.number : isFound && step !== null;
    if (asks.length > 0 && isLast) break;
    if (isFound && step === null && asks.length === 0) throw noStep(wanted.number);
    for (const asked of asks) step = openStep(each, asked, (count += 1));
  }
  if (step !== null && (wanted.by === 'event' || count === wanted.number)) return step.record();
  const times = count === 1 ? 'once' : `${count} times`;
  throw new UsageError(`The model was asked ${times} in this session; there is no step ${wanted.number}.`);
}

function noStep(event: number): UsageError {
  return new UsageError(`Event ${event} belongs to no step: the model had not been asked yet.`);
}

/** The events that the verdicts of a step rest on; most of them are of earlier steps. */
async function proofOf(store: Store, id: string, { verdicts }: StepRecord): Promise<readonly Evidence[]> {
  const wanted = new Set(verdicts.flatMap(({ evidence }) => evidence));
  if (wanted.size === 0) return [];
  const { walked } = await walkSession(store, id, Math.max(...wanted));
  const proof: Evidence[] = [];
  for await (const each of walked) if (wanted.has(each.seq)) proof.push(evidenceOf(each));
  return proof;
}
