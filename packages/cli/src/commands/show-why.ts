import type { Json } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './option-number.ts';
import { evidenceOf, type Evidence } from './show-ending.ts';
import { asksOf } from './show-request.ts';
import { walkSession, type Walked } from './show-walk.ts';
import { openStep, type OpenStep, type StepRecord } from './show-why-step.ts';
import { whyLines } from './show-why-text.ts';
import { manifestIn, type Manifest } from './manifest.ts';

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

async function findStep(store: Store, id: string, { head, wanted, about }: Search): Promise<StepRecord> {
  const { walked } = await walkSession(store, id, head);
  let count = 0;
  for await (const step of stepsOf(walked, manifestIn(about))) {
    count += 1;
    if (wanted.by === 'event' && wanted.number < step.begins) throw noStep(wanted.number);
    const reached = wanted.by === 'event' ? step.ends() : step.number;
    if (reached >= wanted.number) return step.record();
  }
  if (wanted.by === 'event') throw noStep(wanted.number);
  const times = count === 1 ? 'once' : `${count} times`;
  throw new UsageError(`The model was asked ${times} in this session; there is no step ${wanted.number}.`);
}

/**
 * An event that ends one step and begins the next belongs to the one it ends: it tells how that one went. Only what the user
 * says is of the step that it begins.
 */
async function* stepsOf(
  walked: AsyncIterable<Walked>,
  manifest: Manifest,
): AsyncGenerator<OpenStep, void, undefined> {
  let step: OpenStep | null = null;
  let number = 0;
  for await (const each of walked) {
    const asks = asksOf(each, manifest);
    if (asks.length === 0 || each.event.type !== 'user-message') step?.add(each);
    for (const asked of asks) {
      if (step !== null) yield step;
      number += 1;
      step = openStep(each, asked, number);
    }
  }
  if (step !== null) yield step;
}

function noStep(event: number): UsageError {
  return new UsageError(`Event ${event} belongs to no step: the model had not been asked yet.`);
}

/** The events that the verdicts of a step rest on; most of them are of earlier steps. */
async function proofOf(store: Store, id: string, { verdicts }: StepRecord): Promise<readonly Evidence[]> {
  const wanted = new Set(verdicts.flatMap(({ evidence }) => evidence));
  if (wanted.size === 0) return [];
  const { walked } = await walkSession(store, id, lastOf(wanted));
  const proof: Evidence[] = [];
  for await (const each of walked) if (wanted.has(each.seq)) proof.push(evidenceOf(each));
  return proof;
}

function lastOf(numbers: ReadonlySet<number>): number {
  let last = 0;
  for (const number of numbers) last = Math.max(last, number);
  return last;
}
