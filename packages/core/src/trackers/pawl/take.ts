import { findChant } from '../../governor/chant.ts';
import { digest } from '../../governor/digest.ts';
import { observe, textOf, type Observation } from '../../governor/observation.ts';
import { talk } from '../../governor/talk.ts';
import type { Sighting } from '../../governor/sighting.ts';
import type { Json } from '../../json.ts';
import { contentOf, passedBefore } from '../ledger.ts';
import { ticked } from '../machine.ts';
import { withRecent } from '../recent.ts';
import type { CallOutcome, RecordOf, ToolCall } from '../record.ts';
import { unmoved, type Known, type Taken, type Takers } from '../taken.ts';
import { forgotten, sighted, type BegunCall, type PawlMind } from './mind.ts';

export const pawlTakers: Takers<PawlMind> = {
  moved: (mind, { to }) => ({ mind, error: `${to} cannot follow working: there is no other state` }),
  'call-made': (mind, { call }, { ledger }) => unmoved(begin(mind, call, ledger.callsMade + 1)),
  'call-ended': end,
  'message-said': (mind, { text }, known) => see(mind, messageOf(text, known.ledger.callsMade), known),
  'decision-failed': failDecision,
  'test-ran': (mind, record, known) =>
    record.passed && !passedBefore(known.ledger, record.command)
      ? see(mind, newsOf(`test ${known.ledger.testsPassed}`, record.at, known), known)
      : unmoved(mind),
  'file-changed': changeFile,
  'milestone-reached': (mind, { at }, known) =>
    see(mind, newsOf(`milestone ${known.ledger.milestonesReached}`, at, known), known),
  'phase-started': (mind) => unmoved(forgotten(mind)),
  'phase-completed': (mind) => unmoved(forgotten(mind)),
  ticked: (mind) => unmoved({ ...mind, machine: ticked(mind.machine) }),
  'blocker-met': unmoved,
};

/** As many as the ledger keeps. */
const begunMax = 64;

function see(mind: PawlMind, sighting: Sighting, { ownRules }: Known): Taken<PawlMind> {
  return unmoved(sighted(mind, sighting, ownRules));
}

/** Only fingerprints of a call are kept while it is under way: arguments can be long. */
function begin(mind: PawlMind, call: ToolCall, seq: number): PawlMind {
  const { tool, args, command, query } = call;
  const observation = observe({ seq, tool, args: argsOf(call), ok: true, said: '' });
  const isWhole =
    args !== undefined || Boolean(command) || Boolean(query) || mind.config.readTools.includes(tool);
  return { ...mind, begun: withRecent(mind.begun, { observation, isWhole }, begunMax) };
}

/** The arguments; without any, what else is known of the call, under the names that tools give it. */
function argsOf({ args, file, command, query }: ToolCall): Json {
  if (args !== undefined) return args;
  return { ...(file && { path: file }), ...(command && { command }), ...(query && { query }) };
}

function end(mind: PawlMind, { at }: RecordOf<'call-ended'>, known: Known): Taken<PawlMind> {
  const { ended } = known;
  const begun = mind.begun.find(({ observation }) => observation.seq === ended?.seq);
  if (ended === null || begun === undefined) return unmoved(mind);
  const rest = { ...mind, begun: mind.begun.filter((each) => each !== begun) };
  return see(rest, outcomeOf(begun, ended.call, { outcome: ended.outcome, at }), known);
}

function outcomeOf(
  begun: BegunCall,
  call: ToolCall,
  { outcome, at }: { readonly outcome: CallOutcome; readonly at: number },
): Observation {
  const { seq, tool, call: key, query, change, kind } = begun.observation;
  const { success: ok, error = '', output, contentHash } = outcome;
  const said = (ok ? '' : error) || (output === undefined ? '' : textOf(output));
  const seen = observe({ seq, at, tool, args: null, ok, said, saidHash: fingerprintOf(begun, outcome) });
  const content =
    contentHash === undefined
      ? change
      : { target: digest(call.file ?? key), from: null, to: digest(contentHash) };
  const isWaiting = ok && (kind === 'waiting' || seen.kind === 'waiting');
  return { ...seen, kind: isWaiting ? 'waiting' : 'work', call: key, query, change: ok ? content : null };
}

/**
 * What a success came to where its output does not tell, or does not tell all. New content of a file is news whatever the
 * tool says. Of a success without output nothing is known: the same call again is then a repeat, another call is not,
 * and where even the call is known by its tool and file alone, it is taken for another one.
 */
function fingerprintOf(
  { observation: { call, seq }, isWhole }: BegunCall,
  { success, output, contentHash }: CallOutcome,
): string | undefined {
  if (!success) return undefined;
  if (contentHash !== undefined) {
    return digest(`${call} ${contentHash} ${output === undefined ? '' : textOf(output)}`);
  }
  if (output !== undefined) return undefined;
  return isWhole ? call : `${call} ${seq}`;
}

function messageOf(text: string, seq: number): Sighting {
  const chant = findChant(text);
  if (chant === null) return talk(seq, text);
  return { kind: 'chant', seq, block: chant.block.slice(0, blockMax), times: chant.times };
}

/** How much of a chant is quoted. */
const blockMax = 120;

/** Each is a reply of its own. */
function failDecision(mind: PawlMind, _: RecordOf<'decision-failed'>, known: Known): Taken<PawlMind> {
  const request = mind.failedDecisions + 1;
  const sighting = { kind: 'decision', seq: known.ledger.callsMade, request } as const;
  return see({ ...mind, failedDecisions: request }, sighting, known);
}

/** Content that a file had before is no news, and coming back to it is on record as that. */
function changeFile(
  mind: PawlMind,
  { at, file, contentHash }: RecordOf<'file-changed'>,
  known: Known,
): Taken<PawlMind> {
  if (contentOf(known.ledger, file)?.contentHash === contentHash) return unmoved(mind);
  const change = { target: digest(file), from: null, to: digest(contentHash) };
  return see(mind, { ...newsOf(`${file} ${contentHash}`, at, known), change }, known);
}

/** Something that moved the work, seen as a call that succeeded in a way no other has. */
function newsOf(what: string, at: number, { ledger }: Known): Observation {
  const key = digest(what);
  return {
    kind: 'work',
    seq: ledger.callsMade,
    at,
    tool: 'progress',
    call: key,
    outcome: `ok ${key}`,
    error: null,
    mute: true,
    query: null,
    change: null,
  };
}
