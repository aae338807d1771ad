import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two strings in constant time, so that the duration reveals nothing about where they differ. */
export function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestText(one), digestText(other));
}

function digestText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
