/**
 * Computes a short fingerprint: equal texts have equal fingerprints, and different texts of one session practically
 * never collide. It is not cryptographic, because the core has no cryptography dependency.
 */
export function fingerprintText(text: string): string {
  const fingerprint = new TextFingerprint();
  fingerprint.addExactly(text);
  return fingerprint.toString();
}

/** Incremental fingerprint; a class, so that adding a piece allocates no object. */
export class TextFingerprint {
  #one = 0x811c9dc5;
  #two = 0x2f0b4a97;

  add(code: number): void {
    this.#one = Math.imul(this.#one ^ code, 0x01000193);
    this.#two = Math.imul(this.#two ^ code, 0x85ebca6b) ^ (this.#two >>> 13);
  }

  /** Adds a text verbatim. */
  addExactly(text: string): void {
    let one = this.#one;
    let two = this.#two;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
    }
    this.#one = one;
    this.#two = two;
  }

  /** Adds part of a text, with each run of whitespace treated as one space. */
  addText(text: string, start: number, end: number): void {
    let one = this.#one;
    let two = this.#two;
    let wasSpace = false;
    for (let index = start; index < end; index += 1) {
      const code = Math.max(text.charCodeAt(index), spaceCode);
      if (code === spaceCode && wasSpace) continue;
      wasSpace = code === spaceCode;
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
    }
    this.#one = one;
    this.#two = two;
  }

  toNumber(): number {
    return (this.#one ^ Math.imul(this.#two, 0x9e3779b1)) >>> 0;
  }

  toString(): string {
    return (this.#one >>> 0).toString(36) + (this.#two >>> 0).toString(36);
  }
}

const spaceCode = 0x20;
