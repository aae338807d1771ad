import { digest } from '../governor/digest.ts';
import { withRecent } from './recent.ts';
import type { CallOutcome, EndedCall, RecordOf, ToolCall, TrackerRecord } from './record.ts';

/** The result of a test run. Only the end of the output is kept. */
export type TestResult = { readonly command: string; readonly passed: boolean; readonly output: string };

/** A file and the fingerprint of what it holds; null where that is not known. */
export type FileContent = { readonly path: string; readonly contentHash: string | null };

export type Milestone = { readonly at: number; readonly description: string };

/**
 * What was done, whatever anybody thinks of it. Counts are of everything; lists hold the latest, so that the memory of
 * a session is bounded. A change of phase forgets the messages and keeps the rest.
 */
export type Ledger = {
  /** The number of the latest call. */
  readonly callsMade: number;
  readonly callsEnded: number;
  readonly successes: number;
  readonly failures: number;
  /** Calls that have not ended yet. */
  readonly pending: readonly { readonly seq: number; readonly call: ToolCall }[];
  /** The latest files, each once, the one changed last at the end. */
  readonly files: readonly FileContent[];
  readonly filesModified: number;
  readonly commands: readonly string[];
  readonly commandsExecuted: number;
  readonly tests: readonly TestResult[];
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly milestones: readonly Milestone[];
  readonly milestonesReached: number;
  /** Fingerprints of the latest messages. */
  readonly messages: readonly string[];
  readonly duplicateMessages: number;
};

export const emptyLedger: Ledger = {
  callsMade: 0,
  callsEnded: 0,
  successes: 0,
  failures: 0,
  pending: [],
  files: [],
  filesModified: 0,
  commands: [],
  commandsExecuted: 0,
  tests: [],
  testsPassed: 0,
  testsFailed: 0,
  milestones: [],
  milestonesReached: 0,
  messages: [],
  duplicateMessages: 0,
};

const pendingMax = 64;
/** A file that comes back after this many others is counted as another one. */
const filesMax = 1_000;
const recentMax = 20;
const milestonesMax = 100;
const messagesMax = 5;
const outputMax = 1_000;
const commandMax = 1_000;

export function entered(ledger: Ledger, record: TrackerRecord, readTools: readonly string[]): Ledger {
  switch (record.type) {
    case 'call-made':
      return made(ledger, record.call);
    case 'call-ended':
      return ended(ledger, endedCall(ledger, record), readTools);
    case 'message-said':
      return said(ledger, record.text);
    case 'test-ran':
      return tested(ledger, record);
    case 'file-changed':
      return withFile(ledger, record.file, record.contentHash);
    case 'milestone-reached':
      return reached(ledger, record);
    case 'phase-started':
    case 'phase-completed':
      return { ...ledger, messages: [] };
    case 'moved':
      return record.to === 'PhaseTransition' ? { ...ledger, messages: [] } : ledger;
    default:
      // Ticks, failed decisions and blockers are kept elsewhere.
      return ledger;
  }
}

/** The call that a record says has ended, or null if there is none under way with that number. */
export function endedCall(
  ledger: Ledger,
  { seq, outcome }: { readonly seq: number; readonly outcome: CallOutcome },
): EndedCall | null {
  const found = ledger.pending.find((each) => each.seq === seq);
  return found === undefined ? null : { seq, call: found.call, outcome };
}

/** The file a call has changed, or null. A success of a tool that does not only read is taken for a change. */
export function changedFile({ call, outcome }: EndedCall, readTools: readonly string[]): string | null {
  return outcome.success && !readTools.includes(call.tool) ? (call.file ?? null) : null;
}

export function isDuplicate(ledger: Ledger, text: string): boolean {
  return ledger.messages.includes(digest(text));
}

/** What a file holds as far as is known; undefined for a file never changed, or so long ago that it is forgotten. */
export function contentOf(ledger: Ledger, path: string): FileContent | undefined {
  return ledger.files.findLast((file) => file.path === path);
}

/** Whether the latest run of this test passed. */
export function passedBefore(ledger: Ledger, command: string): boolean {
  return ledger.tests.findLast((test) => test.command === command)?.passed ?? false;
}

/** Arguments can be long, and nobody asks for them once the call was made. */
function made(ledger: Ledger, { args: _args, query: _query, ...call }: ToolCall): Ledger {
  const seq = ledger.callsMade + 1;
  return { ...ledger, callsMade: seq, pending: withRecent(ledger.pending, { seq, call }, pendingMax) };
}

function ended(before: Ledger, end: EndedCall | null, readTools: readonly string[]): Ledger {
  if (end === null) return before;
  const { seq, call, outcome } = end;
  const file = changedFile(end, readTools);
  const ledger = file === null ? before : withFile(before, file, outcome.contentHash ?? null);
  const hasCommand = call.command !== undefined && call.command !== '';
  return {
    ...ledger,
    callsEnded: ledger.callsEnded + 1,
    successes: ledger.successes + (outcome.success ? 1 : 0),
    failures: ledger.failures + (outcome.success ? 0 : 1),
    pending: ledger.pending.filter((each) => each.seq !== seq),
    commands: hasCommand
      ? withRecent(ledger.commands, call.command.slice(0, commandMax), recentMax)
      : ledger.commands,
    commandsExecuted: ledger.commandsExecuted + (hasCommand ? 1 : 0),
  };
}

/** A message that was said before is counted, and does not push others out. */
function said(ledger: Ledger, text: string): Ledger {
  if (isDuplicate(ledger, text)) return { ...ledger, duplicateMessages: ledger.duplicateMessages + 1 };
  return { ...ledger, messages: withRecent(ledger.messages, digest(text), messagesMax) };
}

function tested(ledger: Ledger, { command, passed, output }: RecordOf<'test-ran'>): Ledger {
  const result = { command, passed, output: output.slice(-outputMax) };
  return {
    ...ledger,
    tests: withRecent(ledger.tests, result, recentMax),
    testsPassed: ledger.testsPassed + (passed ? 1 : 0),
    testsFailed: ledger.testsFailed + (passed ? 0 : 1),
  };
}

function reached(ledger: Ledger, { at, description }: RecordOf<'milestone-reached'>): Ledger {
  const milestones = withRecent(ledger.milestones, { at, description }, milestonesMax);
  return { ...ledger, milestones, milestonesReached: ledger.milestonesReached + 1 };
}

function withFile(ledger: Ledger, path: string, contentHash: string | null): Ledger {
  const known = contentOf(ledger, path);
  if (known?.contentHash === contentHash) return ledger;
  const others = known === undefined ? ledger.files : ledger.files.filter((file) => file !== known);
  const files = withRecent(others, { path, contentHash }, filesMax);
  return { ...ledger, files, filesModified: ledger.filesModified + (known === undefined ? 1 : 0) };
}
