import type { RepetitionObservation } from './observation.ts';
import { TextFingerprint } from './fingerprint.ts';
/** A reply without calls, reduced to fingerprints. */
export type TextObservation = {
  readonly kind: 'text';
  readonly seq: number;
  /** Equal for texts that differ only in case, digits, whitespace and punctuation. */
  readonly fingerprint: string;
  /** A sample of word trigrams, used to estimate how much two texts have in common. */
  readonly sample: readonly number[];
  /** Whether the host rejected the reply and told the model why. */
  readonly isRejected?: true;
};

const observedTextMax = 4_000;
const shingleSampleMax = 32;

/** Reduces the text of a reply to an observation; only its first characters count. */
export function observeText(seq: number, text: string): TextObservation {
  const { codes, starts, count } = readWords(text.slice(0, observedTextMax).toLowerCase());
  const fingerprint = new TextFingerprint();
  fingerprint.addCodes(codes, 0, starts[count] ?? 0);
  return { kind: 'text', seq, fingerprint: fingerprint.toString(), sample: sampleShingles(starts, count) };
}

/**
 * Estimates the similarity of two texts from 0 to 1: the share of common word trigrams among those with the smallest
 * fingerprints, a choice that does not depend on their position in the text.
 */
export function computeSimilarity(a: TextObservation, b: TextObservation): number {
  let [indexA, indexB, common, total] = [0, 0, 0, 0];
  while (total < shingleSampleMax && (indexA < a.sample.length || indexB < b.sample.length)) {
    const x = a.sample[indexA] ?? Infinity;
    const y = b.sample[indexB] ?? Infinity;
    if (x === y) common += 1;
    if (x <= y) indexA += 1;
    if (y <= x) indexB += 1;
    total += 1;
  }
  if (total === 0) return a.fingerprint === b.fingerprint ? 1 : 0;
  return common / total;
}

/** Returns the smallest fingerprints of the trigrams of the words that were read last, in ascending order. */
function sampleShingles(starts: Uint16Array, count: number): readonly number[] {
  const smallest: number[] = [];
  for (let index = 0; index + 2 < count; index += 1) {
    const fingerprint = new TextFingerprint();
    // Without the space after the last word.
    fingerprint.addCodes(wordCodes, starts[index] ?? 0, (starts[index + 3] ?? 1) - 1);
    insertSmallest(smallest, fingerprint.toNumber());
  }
  return smallest;
}

/** Inserts a number into an ascending list without duplicates that keeps only the smallest ones. */
function insertSmallest(sorted: number[], value: number): void {
  const isFull = sorted.length === shingleSampleMax;
  if (isFull && value >= (sorted[shingleSampleMax - 1] ?? 0)) return;
  let index = sorted.length;
  while (index > 0 && (sorted[index - 1] ?? 0) > value) index -= 1;
  if (index > 0 && sorted[index - 1] === value) return;
  for (let to = isFull ? shingleSampleMax - 1 : sorted.length; to > index; to -= 1)
    sorted[to] = sorted[to - 1] ?? 0;
  sorted[index] = value;
}

/** The words of a text, each followed by a space, as UTF-16 code units. */
type WordCodes = { readonly codes: Uint16Array; readonly starts: Uint16Array; readonly count: number };

/** Reused, because one text is read at a time. Lower case is at most twice as long; one more for the last space. */
const wordCodes = new Uint16Array(2 * observedTextMax + 1);
const wordStarts = new Uint16Array(2 * observedTextMax + 1);

const spaceCode = 0x20;

/** Reads the sequences of letters in a text in lower case. The result is valid until the next call. */
function readWords(text: string): WordCodes {
  let [size, count, isInside] = [0, 0, false];
  for (let index = 0; index < text.length;) {
    const length = getLetterLength(text, index);
    for (let unit = 0; unit < length; unit += 1) wordCodes[size + unit] = text.charCodeAt(index + unit);
    size += length;
    if (length === 0 && isInside) {
      wordCodes[size] = spaceCode;
      size += 1;
      count += 1;
      wordStarts[count] = size;
    }
    isInside = length > 0;
    index += Math.max(1, length);
  }
  if (!isInside) return { codes: wordCodes, starts: wordStarts, count };
  wordCodes[size] = spaceCode;
  wordStarts[count + 1] = size + 1;
  return { codes: wordCodes, starts: wordStarts, count: count + 1 };
}

/** Returns how many code units the letter at this index has; 0 if there is none. */
function getLetterLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 128) return Number(code >= 0x61 && code <= 0x7a);
  if (code < 0xd800 || code >= 0xdc00) return Number(isLetterUnit(code));
  const next = text.charCodeAt(index + 1);
  return next >= 0xdc00 && next < 0xe000 && /\p{L}/u.test(text.slice(index, index + 2)) ? 2 : 0;
}

/** Which UTF-16 code units are letters: 0 not tested yet, 1 a letter, 2 none. */
const letterUnits = new Uint8Array(0x10000);

function isLetterUnit(code: number): boolean {
  letterUnits[code] ||= /\p{L}/u.test(String.fromCharCode(code)) ? 1 : 2;
  return letterUnits[code] === 1;
}

/** Elements that coding agents put into the messages of their users. */
const hostElements = [
  // Claude Code
  'system-reminder',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'ide_opened_file',
  'ide_selection',
  'task-notification',
  // Codex
  'environment_context',
  'user_instructions',
  'INSTRUCTIONS',
  'turn_aborted',
  // Gemini CLI
  'session_context',
  'hook_context',
  // Cline, Roo Code
  'environment_details',
  // Cursor
  'user_info',
  'git_status',
  'project_layout',
  'additional_data',
  'open_and_recently_viewed_files',
  // GitHub Copilot
  'environment_info',
  'workspace_info',
  'reminderInstructions',
].join('|');

const hostElement = new RegExp(`<(${hostElements})(?: [^>]{0,200})?>[^]*?</\\1>`, 'g');

/** Elements that contain what the user wrote: Cline, Cursor and GitHub Copilot. */
const userElement = /<(task|user_query|userRequest)>([^]*?)<\/\1>/;

/** How the whole messages begin that coding agents write in the name of their users. */
const hostMessages: readonly RegExp[] = [
  // Gemini CLI, Qwen Code
  /^This is (?:the )?(?:Gemini CLI|Qwen Code)\. We are setting up the context for our chat\./,
  /^System: Potential loop detected\./,
  // Codex: the heading of the instructions that it loads
  /^# AGENTS\.md instructions for \S*$/,
  // Cline, Roo Code, Kilo Code
  /^\[ERROR\] You did not use a tool in your previous response!/,
  // OpenHands
  /^Please continue working on the task on whatever approach you think is suitable\./,
  // GitHub Copilot CLI
  /^You have not yet marked the task as complete using the task_complete tool\./,
  // SWE-agent, mini-SWE-agent
  /^(?:Your output was not formatted correctly\.|Please always provide EXACTLY ONE action in triple backticks|No tool calls found in the response\.)/,
];

/**
 * Removes what coding agents add to the messages of their users, such as reminders and descriptions of the environment.
 * The rest is what the user wrote; it is empty if the whole message is automatic.
 */
export function removeHostText(text: string): string {
  const rest = (text.includes('<') ? text.replaceAll(hostElement, '') : text).trim();
  if (hostMessages.some((start) => start.test(rest))) return '';
  return (userElement.exec(rest)?.[2] ?? rest).trim();
}

/** Longer messages say more than that the work should continue. */
const continuationTextMax = 80;

const continuationPattern =
  /^(?:(?:yes|yeah|yep|ok|okay|sure|fine|right|correct|please|thanks|thank you|continue|proceed|resume|next|do it|do that|do so|go on|go ahead|carry on|keep going|keep working|sounds good|that works|that is (?:fine|correct|right)|with (?:it|that|the task|the work)|working)(?:[\s,.!;:–—-]+|$))+$/i;

/**
 * Whether a user message only confirms or asks to continue. Such a message adds nothing new, so a loop may continue
 * across it. "Try again" does not count, because it asks for a repetition.
 */
export function isContinuationMessage(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length <= continuationTextMax && (trimmed === '' || continuationPattern.test(trimmed));
}

/** A block of text repeated at the end of a reply. */
export type RepetitionLoop = { readonly block: string; readonly times: number };

/** Only the end of a text is examined, because a repetition loop does not stop by itself. */
const repetitionTailMax = 4_000;

/** Minimum number of repetitions and minimum total length, because short repetitions are normal. */
const repetitionsMin = 5;
const repetitionLengthMin = 400;

/** How much new text must arrive before a streaming reply is checked again. */
const checkIntervalChars = 200;

/** Maximum length of the block in an observation, in characters. */
const observedBlockMax = 120;

/** Observes the repetition loop at the end of a reply, or returns null. */
export function observeRepetitionLoop(seq: number, text: string): RepetitionObservation | null {
  const loop = findRepetitionLoop(text);
  if (loop === null) return null;
  return { kind: 'repetition-loop', seq, block: loop.block.slice(0, observedBlockMax), times: loop.times };
}

/**
 * Returns the repetition loop at the end of a text, or null. Ignores fenced code, because data repeats legitimately,
 * and blocks without words, such as rules and rows of dots.
 */
export function findRepetitionLoop(text: string): RepetitionLoop | null {
  if (text.length < repetitionLengthMin) return null;
  return updateFenceState(outsideFence, text).isOpen
    ? null
    : detectRepetition(text.slice(-repetitionTailMax));
}

/**
 * Detects a repetition loop in a streaming reply; a class, because it is fed incrementally at a bounded cost per chunk.
 */
export class RepetitionDetector {
  #tail = '';
  #fences = outsideFence;
  #unread = 0;

  /** Adds the next chunk and returns the repetition loop, if there is one. */
  addText(piece: string): RepetitionLoop | null {
    this.#fences = updateFenceState(this.#fences, piece);
    this.#tail = (this.#tail + piece).slice(-repetitionTailMax);
    this.#unread += piece.length;
    if (this.#unread < checkIntervalChars || this.#fences.isOpen) return null;
    this.#unread = 0;
    return detectRepetition(this.#tail);
  }
}

function detectRepetition(tail: string): RepetitionLoop | null {
  const stretch = findPeriodicSuffix(tail);
  if (stretch === null) return null;
  const block = tail.slice(tail.length - stretch.period);
  return /\p{L}{2}/u.test(block) ? { block: block.trim(), times: stretch.times } : null;
}

/**
 * Finds the longest suffix that repeats one block often enough. Reversed, the suffix is a prefix, and the failure
 * function of string matching (KMP) gives the shortest period of every prefix in one pass.
 */
function findPeriodicSuffix(text: string): { readonly period: number; readonly times: number } | null {
  if (!recursAtEnd(text)) return null;
  const size = text.length;
  const backwards = (index: number): number => text.charCodeAt(size - 1 - index);
  const borders = new Int32Array(size + 1).fill(-1, 0, 1);
  let longest: { readonly period: number; readonly times: number } | null = null;
  for (let index = 0, border = -1; index < size; index += 1) {
    while (border >= 0 && backwards(border) !== backwards(index)) border = borders[border] ?? -1;
    border += 1;
    borders[index + 1] = border;
    const length = index + 1;
    const period = length - border;
    const times = Math.floor(length / period);
    if (length >= repetitionLengthMin && times >= repetitionsMin) longest = { period, times };
  }
  return longest;
}

/**
 * Whether the last characters of a text occur in it before. They do if the text ends in a repetition that is long enough,
 * because less than a fifth of it is one block; almost every other text is ruled out at once.
 */
function recursAtEnd(text: string): boolean {
  const length = repetitionLengthMin / repetitionsMin;
  return text.lastIndexOf(text.slice(-length), text.length - length - 1) !== -1;
}

/** Whether a text ends inside fenced code, and how many backticks it ends with. */
type FenceState = { readonly isOpen: boolean; readonly ticks: number };

const outsideFence: FenceState = { isOpen: false, ticks: 0 };

/** Three or more consecutive backticks open or close a fence; they may be split across chunks. */
function updateFenceState({ isOpen, ticks }: FenceState, text: string): FenceState {
  if (!text.includes('`')) return { isOpen, ticks: text === '' ? ticks : 0 };
  let open = isOpen;
  let run = ticks;
  for (let index = 0; index < text.length; index += 1) {
    run = text.charCodeAt(index) === backtickCode ? run + 1 : 0;
    if (run === 3) open = !open;
  }
  return { isOpen: open, ticks: run };
}

const backtickCode = 0x60;
