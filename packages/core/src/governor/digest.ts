/**
 * A short fingerprint of a text: equal texts have equal ones, and two different texts of one session practically never
 * do. It is for telling things apart, not for keeping secrets; the core has no cryptography to call on.
 */
export function digest(text: string): string {
  const fingerprint = new Fingerprint();
  fingerprint.addExactly(text);
  return fingerprint.toString();
}

/** A fingerprint in the making: a class, because it is fed piece by piece and must not cost an object for each. */
export class Fingerprint {
  #one = 0x811c9dc5;
  #two = 0x2f0b4a97;

  add(code: number): void {
    this.#one = Math.imul(this.#one ^ code, 0x01000193);
    this.#two = Math.imul(this.#two ^ code, 0x85ebca6b) ^ (this.#two >>> 13);
  }

  /** A text to the letter. */
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

  /** A part of a text, with any run of white space taken for one space. */
  addText(text: string, start: number, end: number): void {
    let one = this.#one;
    let two = this.#two;
    let wasSpace = false;
    for (let index = start; index < end; index += 1) {
      const code = Math.max(text.charCodeAt(index), space);
      if (code === space && wasSpace) continue;
      wasSpace = code === space;
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

const space = 0x20;
