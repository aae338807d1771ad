export { TrustError } from './trust/trust-error.ts';
export type { TrustErrorCode } from './trust/trust-error.ts';
export { createTrustStore } from './trust/trust-store.ts';
export type { TrustStore, TrustedContents } from './trust/trust-store.ts';
