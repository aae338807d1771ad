import type { TurnStatus } from '@pawl/core';
import { getStatusLabel, getStatusTone } from '../tones.ts';

const pulsingStatuses: ReadonlySet<string> = new Set<TurnStatus>([
  'callingModel',
  'executingTools',
  'postToolsHook',
  'errorRecovery',
  'paging',
]);

/** Shows a status with its color and label. The dot pulses while the session is live and working. */
export function StatusPill({ status, isLive = false }: StatusPillProps) {
  const pulses = isLive && pulsingStatuses.has(status);
  return (
    <span className={`pill tone-${getStatusTone(status)}`} data-status={status}>
      <span className={pulses ? 'dot pulses' : 'dot'} aria-hidden="true" />
      {getStatusLabel(status)}
    </span>
  );
}

type StatusPillProps = { readonly status: TurnStatus | 'damaged'; readonly isLive?: boolean };
