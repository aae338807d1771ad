/** `PAWL_LONG=1` has the tests look for as long as it takes to be sure; without it, for as long as one likes to wait. */
export const isLong = process.env['PAWL_LONG'] === '1';

/** A machine that does other things at the same time takes a multiple of what it takes alone. */
export const timeoutMs = isLong ? 3 * 3_600_000 : 600_000;
