import type { Session } from '../session.ts';
import {
  createVerdict,
  type GovernorObservation,
  type GradedMatch,
  type Rule,
  runDetector,
  type Verdict,
} from '@pawl/governor';

/** The result of an observation: the updated session, and the match with its verdict, or null. */
export type ObservationResult =
  | { readonly session: Session; readonly finding: GradedMatch; readonly verdict: Verdict }
  | { readonly session: Session; readonly finding: null; readonly verdict: null };

/** Adds an observation that is not a failed tool execution, so no error remedy applies. */
export function observeSession(
  session: Session,
  sighting: GovernorObservation,
  rules: readonly Rule[],
): ObservationResult {
  const { governor, settings } = session;
  const judged = runDetector(governor.watch, sighting, rules);
  const after = { ...session, governor: { ...governor, watch: judged.state } };
  const { match } = judged;
  return match === null
    ? { session: after, finding: match, verdict: null }
    : { session: after, finding: match, verdict: createVerdict(match, settings.governor, null) };
}
