/** Where in a profile something is: keys and the numbers of items. */
export type ProfilePath = readonly (string | number)[];

/** A profile that cannot be used. The message is one line: where, what was expected, what came. */
export class ProfileError extends TypeError {
  override readonly name = 'ProfileError';
  readonly path: ProfilePath;

  constructor(path: ProfilePath, problem: string) {
    super(`${path.length === 0 ? 'The profile' : `The profile, at ${written(path)}`}: ${problem}`);
    this.path = path;
  }
}

function written(path: ProfilePath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}
