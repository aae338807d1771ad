import { pawlRules, rulesFor, type Rule } from '@pawl/core';
import type { Track } from '../../app/track.ts';
import type { Detail } from '../../app/view-props.ts';

/**
 * The rules that a run is judged by. Of what others have recorded only a word is taken back, since what was run was run;
 * what the rules would have done besides is told by those of the default profile.
 */
export function rulesOf({ created }: Track, detail: Detail): readonly Rule[] {
  const isOfOthers = detail.kind === 'imported' && detail.format !== 'pawl-session';
  return isOfOthers ? pawlRules : rulesFor(created.settings.governor);
}
