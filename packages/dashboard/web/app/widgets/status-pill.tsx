import type { TurnStatus } from '@pawl/core';
import { statusWords, toneOfStatus } from '../tones.ts';

const atWork: ReadonlySet<string> = new Set<TurnStatus>([
  'callingModel',
  'executingTools',
  'postToolsHook',
  'errorRecovery',
  'paging',
]);

/** A state in its colour and in words. Where work is under way and can be followed, its dot pulses. */
export function StatusPill({ status, isLive = false }: StatusPillProps) {
  const pulses = isLive && atWork.has(status);
  return (
    <span className={`pill tone-${toneOfStatus(status)}`} data-status={status}>
      <span className={pulses ? 'dot pulses' : 'dot'} aria-hidden="true" />
      {statusWords(status)}
    </span>
  );
}

type StatusPillProps = { readonly status: TurnStatus | 'damaged'; readonly isLive?: boolean };
