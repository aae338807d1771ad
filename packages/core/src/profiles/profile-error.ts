import { formatChartPath, type ChartPath } from '../modes/chart-error.ts';

/** A location in a profile, as in a chart. */
export type ProfilePath = ChartPath;

/** An invalid profile. The message is one line: where, what was expected, and what was found. */
export class ProfileError extends TypeError {
  override readonly name = 'ProfileError';
  readonly path: ProfilePath;

  constructor(path: ProfilePath, problem: string) {
    super(`${path.length === 0 ? 'The profile' : `The profile, at ${formatChartPath(path)}`}: ${problem}`);
    this.path = path;
  }
}
