/** An environment variable that cannot be used. The message is one line: which, what was expected, what came. */
export class ConfigVariableError extends Error {
  override readonly name = 'ConfigVariableError';
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`${variable}, from the environment: ${problem}`);
    this.variable = variable;
  }
}
