/**
 * A short fingerprint of a text: equal texts have equal ones, and two different texts of one session practically never
 * do. It is for telling things apart, not for keeping secrets; the core has no cryptography to call on.
 */
export function digest(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x2f0b4a97;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13);
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
