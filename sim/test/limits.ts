/** `PAWL_SOAK=1` runs many more seeds. */
export const isSoak = process.env['PAWL_SOAK'] === '1';

/** Generous, because a busy machine takes much longer. */
export const soakTimeoutMs = isSoak ? 3 * 3_600_000 : 600_000;
