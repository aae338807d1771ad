/** So many characters of an id tell it from all others that a person is likely to have; any beginning of an id will do. */
const shown = 8;

/** What a person has to type to name a session. */
export function shortId(id: string): string {
  const short = id.slice(0, shown);
  return short.isWellFormed() ? short : id;
}
