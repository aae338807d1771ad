/** A piece of text that is said again and again at the end of a reply. */
export type Chant = { readonly block: string; readonly times: number };

/** Only the end of a text is looked at: a chant does not stop by itself. */
const tailMax = 4_000;

/** How often a piece must come in a row, and how much of it there must be: people do repeat short things. */
const timesMin = 5;
const lengthMin = 400;

/** How much new text there must be before a reply that is being written is looked at again. */
const everyChars = 200;

/**
 * The chant a text ends in, or null. Code between fences is left alone, since data repeats for good reasons, and so is what
 * has no words in it, such as rules and rows of dots.
 */
export function findChant(text: string): Chant | null {
  return readFences(outside, text).isOpen ? null : chantIn(text.slice(-tailMax));
}

/** Watches a reply while it is being written. Fed piece by piece, so a class; the cost of a piece is bounded. */
export class ChantWatch {
  #tail = '';
  #fences = outside;
  #unread = 0;

  /** Takes in the next piece and says whether the reply has become a chant. */
  hear(piece: string): Chant | null {
    this.#fences = readFences(this.#fences, piece);
    this.#tail = (this.#tail + piece).slice(-tailMax);
    this.#unread += piece.length;
    if (this.#unread < everyChars || this.#fences.isOpen) return null;
    this.#unread = 0;
    return chantIn(this.#tail);
  }
}

function chantIn(tail: string): Chant | null {
  const stretch = periodicEnd(tail);
  if (stretch === null) return null;
  const block = tail.slice(tail.length - stretch.period);
  return /\p{L}{2}/u.test(block) ? { block: block.trim(), times: stretch.times } : null;
}

/**
 * The longest stretch at the end that is one piece said often enough. Read backwards it is a beginning, and the failure
 * function of string matching tells the shortest period of every beginning in one pass.
 */
function periodicEnd(text: string): { readonly period: number; readonly times: number } | null {
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
    if (length >= lengthMin && times >= timesMin) longest = { period, times };
  }
  return longest;
}

/** Whether a text has come to stand inside fenced code, and how many backticks in a row it ends in. */
type Fences = { readonly isOpen: boolean; readonly ticks: number };

const outside: Fences = { isOpen: false, ticks: 0 };

/** Three backticks in a row, and any more of them, open or close a fence. They may come in pieces. */
function readFences({ isOpen, ticks }: Fences, text: string): Fences {
  if (!text.includes('`')) return { isOpen, ticks: text === '' ? ticks : 0 };
  let open = isOpen;
  let run = ticks;
  for (let index = 0; index < text.length; index += 1) {
    run = text.charCodeAt(index) === backtick ? run + 1 : 0;
    if (run === 3) open = !open;
  }
  return { isOpen: open, ticks: run };
}

const backtick = 0x60;
