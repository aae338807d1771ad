export type ModelSpecErrorCode =
  | 'unknown'
  | 'missing-name'
  | 'missing-key'
  | 'missing-package'
  | 'missing-base-url'
  | 'bad-base-url'
  | 'script';

/** A model spec cannot be resolved. The one-line message gives the problem and the fix. */
export class ModelSpecError extends Error {
  override readonly name = 'ModelSpecError';
  readonly code: ModelSpecErrorCode;

  constructor(code: ModelSpecErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
