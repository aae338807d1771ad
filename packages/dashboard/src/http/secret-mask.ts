import { maskSecrets } from '@pawl/runtime/logging';

/** Returns a copy of the value with its secrets masked. */
export type SecretMask = (value: unknown) => unknown;

/** Every response of the server passes through this mask. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  return (value) => maskSecrets(value, { secrets });
}
