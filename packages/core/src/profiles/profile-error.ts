import { written, type ChartPath } from '../modes/chart-error.ts';

/** Where in a profile something is, as in a chart. */
export type ProfilePath = ChartPath;

/** A profile that cannot be used. The message is one line: where, what was expected, what came. */
export class ProfileError extends TypeError {
  override readonly name = 'ProfileError';
  readonly path: ProfilePath;

  constructor(path: ProfilePath, problem: string) {
    super(`${path.length === 0 ? 'The profile' : `The profile, at ${written(path)}`}: ${problem}`);
    this.path = path;
  }
}
