export {
  TrustError,
  type TrustErrorCode,
  createTrustStore,
  type TrustStore,
  type TrustedContents,
} from './trust/trust-store.ts';
