/** Length at which id prefixes are almost always unique; any unique prefix is accepted. */
const shortIdLength = 8;

/** Returns the short id that a user types to name a session. */
export function shortenId(id: string): string {
  const short = id.slice(0, shortIdLength);
  return short.isWellFormed() ? short : id;
}
