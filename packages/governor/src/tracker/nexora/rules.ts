import type { TrackerVerdict } from '../tracker-verdict.ts';
import type { NexoraAction, NexoraDetectorState } from './detector-state.ts';

/** Returns the current verdicts, most severe first. A success or a new phase clears a verdict. */
export function listNexoraVerdicts(mind: NexoraDetectorState): readonly TrackerVerdict[] {
  if (!mind.config.enable) return [];
  return [detectSameError(mind), detectOscillation(mind), detectNoProgress(mind)].filter(
    (verdict) => verdict !== null,
  );
}

function detectSameError({ config, errors, consecutiveErrors }: NexoraDetectorState): TrackerVerdict | null {
  const { stuckThreshold } = config;
  const [first, ...others] = errors.slice(-stuckThreshold);
  if (first === undefined || consecutiveErrors < stuckThreshold) return null;
  const { target, fingerprint, text } = first;
  if (others.some((each) => each.target !== target || each.fingerprint !== fingerprint)) return null;
  const times = `${stuckThreshold} ${stuckThreshold === 1 ? 'time' : 'times in a row'}`;
  return {
    level: 'stuck',
    rule: 'same_error',
    loop: `same_error ${target} ${fingerprint}`,
    reason: `${target} gave the same error ${times}: ${text || 'it failed without a message'}`,
    advice: `Trying this again on ${target} will fail again. Look at it afresh, or do it with another tool.`,
    evidence: errors.slice(-stuckThreshold).map(({ seq }) => seq),
  };
}

function detectOscillation({ config, actions }: NexoraDetectorState): TrackerVerdict | null {
  const { oscillationWindow, readTools } = config;
  const last = actions.filter(({ tool }) => !readTools.includes(tool)).slice(-oscillationWindow);
  const [one, other] = [last[0]?.file, last[1]?.file];
  if (last.length < oscillationWindow || !one || !other || one === other) return null;
  if (last.some(({ file }, index) => file !== (index % 2 === 0 ? one : other))) return null;
  if (hasOnlyNewContent(last)) return null;
  const pair = [one, other].toSorted();
  return {
    level: 'stuck',
    rule: 'oscillation',
    // Sorted, so that each further oscillation has the same loop id.
    loop: `oscillation ${pair.join(' ')}`,
    reason: `oscillating between ${pair.join(' and ')} over the last ${oscillationWindow} changes`,
    advice: `You keep going back and forth between ${pair.join(' and ')}. Decide what both should hold, then change each once.`,
    evidence: last.map(({ seq }) => seq),
  };
}

/**
 * Alternating changes are not a loop if no file returned to earlier content. Failed changes are ignored, because they
 * changed nothing.
 */
function hasOnlyNewContent(actions: readonly NexoraAction[]): boolean {
  const changes = actions.filter(({ success }) => success);
  if (changes.length === 0 || changes.some(({ contentHash }) => contentHash === null)) return false;
  return new Set(changes.map(({ file, contentHash }) => `${file} ${contentHash}`)).size === changes.length;
}

function detectNoProgress(mind: NexoraDetectorState): TrackerVerdict | null {
  if (!mind.stalled) return null;
  const { noProgressWindow } = mind.config;
  return {
    level: 'suspect',
    rule: 'no_progress',
    loop: 'no_progress',
    reason: `no progress in the last ${noProgressWindow} actions`,
    advice: 'Nothing new has come of the latest actions. Say what is missing, and take another way to it.',
    evidence: mind.actions.slice(-noProgressWindow).map(({ seq }) => seq),
  };
}

/** Checks progress once every few calls; the verdict clears as soon as it no longer holds. */
export function updateStalled(mind: NexoraDetectorState): NexoraDetectorState {
  const isDue = mind.callsSinceReset % mind.config.progressCheckInterval === 0;
  const stalled = (mind.stalled || isDue) && isLackingProgress(mind);
  return stalled === mind.stalled ? mind : { ...mind, stalled };
}

function isLackingProgress({ config, actions, callsSinceReset, progressAt }: NexoraDetectorState): boolean {
  const { noProgressWindow, readTools } = config;
  const last = actions.slice(-noProgressWindow);
  if (last.length < noProgressWindow) return false;
  if (progressAt !== null && progressAt > callsSinceReset - noProgressWindow) return false;
  const successes = last.filter(({ success }) => success);
  const changes = successes.filter(({ tool }) => !readTools.includes(tool));
  const targets = new Set(successes.map(({ target }) => target));
  const tools = new Set(successes.map(({ tool }) => tool));
  return changes.length < 2 && targets.size < 3 && tools.size < 2;
}
