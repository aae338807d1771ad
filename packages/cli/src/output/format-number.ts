export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** 1,234,567 */
export function formatGroupedNumber(count: number): string {
  return Math.round(count).toLocaleString('en');
}

/** Formats a fraction as a percentage; a dash if it is null. */
export function formatShare(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}

/** Length at which id prefixes are almost always unique; any unique prefix is accepted. */
const shortIdLength = 8;

/** Returns the short id that a user types to name a session. */
export function shortenId(id: string): string {
  const short = id.slice(0, shortIdLength);
  return short.isWellFormed() ? short : id;
}
