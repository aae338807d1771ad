/** `PAWL_SOAK=1` has the tests look for as long as it takes to be sure; without it, for as long as one likes to wait. */
export const isSoak = process.env['PAWL_SOAK'] === '1';

/** A machine that does other things at the same time takes a multiple of what it takes alone. */
export const soakTimeoutMs = isSoak ? 3 * 3_600_000 : 600_000;
