import { fingerprintText } from '../observations/fingerprint.ts';
import { appendRecent } from './tracker-machine.ts';
import type { CallOutcome, EndedCall, RecordByType, TrackerCall, TrackerRecord } from './tracker-record.ts';

/** The result of a test run; only the end of the output is stored. */
export type TestResult = { readonly command: string; readonly passed: boolean; readonly output: string };

/** A file and its content fingerprint; null if unknown. */
export type LedgerFile = { readonly path: string; readonly contentHash: string | null };

export type ReachedMilestone = { readonly at: number; readonly description: string };

/**
 * The record of what was done, independent of any verdict. Counts cover everything; lists hold the latest items, so
 * that the state is bounded. A phase change clears the messages only.
 */
export type TrackerLedger = {
  /** Number of the latest call. */
  readonly callsMade: number;
  readonly callsEnded: number;
  readonly successes: number;
  readonly failures: number;
  /** Calls that have not ended yet. */
  readonly pending: readonly { readonly seq: number; readonly call: TrackerCall }[];
  /** The latest files, without duplicates, last changed at the end. */
  readonly files: readonly LedgerFile[];
  readonly filesModified: number;
  readonly commands: readonly string[];
  readonly commandsExecuted: number;
  readonly tests: readonly TestResult[];
  readonly testsPassed: number;
  readonly testsFailed: number;
  readonly milestones: readonly ReachedMilestone[];
  readonly milestonesReached: number;
  /** Fingerprints of the latest messages. */
  readonly messages: readonly string[];
  readonly duplicateMessages: number;
};

export const emptyLedger: TrackerLedger = {
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

const pendingCallsMax = 64;
/** A file that recurs after this many others is counted again. */
const ledgerFilesMax = 1_000;
const ledgerRecentMax = 20;
const milestonesMax = 100;
const ledgerMessagesMax = 5;
const testOutputMax = 1_000;
const ledgerCommandMax = 1_000;

export function updateLedger(
  ledger: TrackerLedger,
  record: TrackerRecord,
  readTools: readonly string[],
): TrackerLedger {
  switch (record.type) {
    case 'call-made':
      return recordMadeCall(ledger, record.call);
    case 'call-ended':
      return recordEndedCall(ledger, findEndedCall(ledger, record), readTools);
    case 'message-said':
      return recordMessage(ledger, record.text);
    case 'test-ran':
      return recordTestResult(ledger, record);
    case 'file-changed':
      return recordFileContent(ledger, record.file, record.contentHash);
    case 'milestone-reached':
      return recordMilestone(ledger, record);
    case 'phase-started':
    case 'phase-completed':
      return { ...ledger, messages: [] };
    case 'moved':
      return record.to === 'PhaseTransition' ? { ...ledger, messages: [] } : ledger;
    default:
      // Ticks, failed decisions and blockers are recorded elsewhere.
      return ledger;
  }
}

/** Returns the call that a record ends, or null if no such call is pending. */
export function findEndedCall(
  ledger: TrackerLedger,
  { seq, outcome }: { readonly seq: number; readonly outcome: CallOutcome },
): EndedCall | null {
  const found = ledger.pending.find((each) => each.seq === seq);
  return found === undefined ? null : { seq, call: found.call, outcome };
}

/** Returns the file a call changed, or null. A success of any tool that is not read-only counts as a change. */
export function getChangedFile({ call, outcome }: EndedCall, readTools: readonly string[]): string | null {
  return outcome.success && !readTools.includes(call.tool) ? (call.file ?? null) : null;
}

export function isDuplicateMessage(ledger: TrackerLedger, text: string): boolean {
  return ledger.messages.includes(fingerprintText(text));
}

/** Returns the known content of a file; undefined if it never changed or is no longer remembered. */
export function findLedgerFile(ledger: TrackerLedger, path: string): LedgerFile | undefined {
  return ledger.files.findLast((file) => file.path === path);
}

/** Whether the latest run of this test passed. */
export function hasTestPassed(ledger: TrackerLedger, command: string): boolean {
  return ledger.tests.findLast((test) => test.command === command)?.passed ?? false;
}

/** Arguments are dropped, because they can be long and are not needed after the call was made. */
function recordMadeCall(
  ledger: TrackerLedger,
  { args: _args, query: _query, ...call }: TrackerCall,
): TrackerLedger {
  const seq = ledger.callsMade + 1;
  return { ...ledger, callsMade: seq, pending: appendRecent(ledger.pending, { seq, call }, pendingCallsMax) };
}

function recordEndedCall(
  before: TrackerLedger,
  end: EndedCall | null,
  readTools: readonly string[],
): TrackerLedger {
  if (end === null) return before;
  const { seq, call, outcome } = end;
  const file = getChangedFile(end, readTools);
  const ledger = file === null ? before : recordFileContent(before, file, outcome.contentHash ?? null);
  const hasCommand = call.command !== undefined && call.command !== '';
  return {
    ...ledger,
    callsEnded: ledger.callsEnded + 1,
    successes: ledger.successes + (outcome.success ? 1 : 0),
    failures: ledger.failures + (outcome.success ? 0 : 1),
    pending: ledger.pending.filter((each) => each.seq !== seq),
    commands: hasCommand
      ? appendRecent(ledger.commands, call.command.slice(0, ledgerCommandMax), ledgerRecentMax)
      : ledger.commands,
    commandsExecuted: ledger.commandsExecuted + (hasCommand ? 1 : 0),
  };
}

/** Counts a duplicate message without evicting others. */
function recordMessage(ledger: TrackerLedger, text: string): TrackerLedger {
  if (isDuplicateMessage(ledger, text)) return { ...ledger, duplicateMessages: ledger.duplicateMessages + 1 };
  return { ...ledger, messages: appendRecent(ledger.messages, fingerprintText(text), ledgerMessagesMax) };
}

function recordTestResult(
  ledger: TrackerLedger,
  { command, passed, output }: RecordByType<'test-ran'>,
): TrackerLedger {
  const result = { command, passed, output: output.slice(-testOutputMax) };
  return {
    ...ledger,
    tests: appendRecent(ledger.tests, result, ledgerRecentMax),
    testsPassed: ledger.testsPassed + (passed ? 1 : 0),
    testsFailed: ledger.testsFailed + (passed ? 0 : 1),
  };
}

function recordMilestone(
  ledger: TrackerLedger,
  { at, description }: RecordByType<'milestone-reached'>,
): TrackerLedger {
  const milestones = appendRecent(ledger.milestones, { at, description }, milestonesMax);
  return { ...ledger, milestones, milestonesReached: ledger.milestonesReached + 1 };
}

function recordFileContent(ledger: TrackerLedger, path: string, contentHash: string | null): TrackerLedger {
  const known = findLedgerFile(ledger, path);
  if (known?.contentHash === contentHash) return ledger;
  const others = known === undefined ? ledger.files : ledger.files.filter((file) => file !== known);
  const files = appendRecent(others, { path, contentHash }, ledgerFilesMax);
  return { ...ledger, files, filesModified: ledger.filesModified + (known === undefined ? 1 : 0) };
}
