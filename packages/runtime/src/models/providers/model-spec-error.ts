export type ModelSpecErrorCode =
  | 'unknown'
  | 'missing-name'
  | 'missing-key'
  | 'missing-package'
  | 'missing-base-url'
  | 'bad-base-url'
  | 'script';

/** There is no model to be had under this name. The message is one line that says what is wrong and what to do. */
export class ModelSpecError extends Error {
  override readonly name = 'ModelSpecError';
  readonly code: ModelSpecErrorCode;

  constructor(code: ModelSpecErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
