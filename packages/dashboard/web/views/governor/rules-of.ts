import { pawlRules, rulesFor, type Rule } from '@pawl/core';
import type { Track } from '../../app/track.ts';
import type { Detail } from '../../app/view-props.ts';

/**
 * The rules that a run is judged by. A run recorded by others could only be advised, since what was run was run; what else
 * the rules would have done is judged by those of the default profile.
 */
export function rulesOf({ created }: Track, detail: Detail): readonly Rule[] {
  const isOfOthers = detail.kind === 'imported' && detail.format !== 'pawl-session';
  return isOfOthers ? pawlRules : rulesFor(created.settings.governor);
}
