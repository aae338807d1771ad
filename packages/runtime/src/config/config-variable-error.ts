/** An environment variable is invalid. The one-line message gives its name, the expected value and the actual value. */
export class ConfigVariableError extends Error {
  override readonly name = 'ConfigVariableError';
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`Environment variable ${variable}: ${problem}`);
    this.variable = variable;
  }
}
