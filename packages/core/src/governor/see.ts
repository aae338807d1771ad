import type { Session } from '../session.ts';
import type { Rule } from './rule.ts';
import type { Sighting } from './sighting.ts';
import { verdictOn, type Verdict } from './verdict.ts';
import { watch, type Finding } from './watch.ts';

/** What the governor makes of a sighting: the session in which it has seen it, and what there is to say, or null. */
export type Seen =
  | { readonly session: Session; readonly finding: Finding; readonly verdict: Verdict }
  | { readonly session: Session; readonly finding: null; readonly verdict: null };

/** Shows the governor something that is not the failure of a call, for which there might be a remedy. */
export function see(session: Session, sighting: Sighting, rules: readonly Rule[]): Seen {
  const { governor, settings } = session;
  const judged = watch(governor.watch, sighting, rules);
  const after = { ...session, governor: { ...governor, watch: judged.watch } };
  const { finding } = judged;
  return finding === null
    ? { session: after, finding, verdict: null }
    : { session: after, finding, verdict: verdictOn(finding, settings.governor, null) };
}
