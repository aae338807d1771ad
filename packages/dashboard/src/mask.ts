import { maskSecrets } from '@pawl/runtime';

/** The same value without secrets in it. */
export type Mask = (value: unknown) => unknown;

/** Everything that leaves the server goes through this. */
export function maskOf(secrets: readonly string[]): Mask {
  return (value) => maskSecrets(value, { secrets });
}
