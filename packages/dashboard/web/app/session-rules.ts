import type { Rule } from '@pawl/governor';
import { selectSessionRules } from '@pawl/core/turn';
import { pawlRules } from '@pawl/governor/rules';
import type { ReplayedTimeline } from './replayed-timeline.ts';
import type { ViewedSession } from './view-props.ts';

/**
 * Returns the rules that apply to a run. A run recorded by another agent was replayed with advice only, so it is
 * evaluated with the rules of the default profile.
 */
export function getSessionRules({ created }: ReplayedTimeline, detail: ViewedSession): readonly Rule[] {
  const isForeign = detail.kind === 'imported' && detail.format !== 'pawl-session';
  return isForeign ? pawlRules : selectSessionRules(created);
}
