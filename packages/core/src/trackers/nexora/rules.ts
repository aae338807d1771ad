import type { TrackerVerdict } from '../verdict.ts';
import type { NexoraAction, NexoraMind } from './mind.ts';

/** What holds now, gravest first. A success or a new phase makes a verdict go away as it came. */
export function nexoraVerdicts(mind: NexoraMind): readonly TrackerVerdict[] {
  if (!mind.config.enable) return [];
  return [sameError(mind), oscillation(mind), noProgress(mind)].filter((verdict) => verdict !== null);
}

function sameError({ config, errors, consecutiveErrors }: NexoraMind): TrackerVerdict | null {
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

function oscillation({ config, actions }: NexoraMind): TrackerVerdict | null {
  const { oscillationWindow, readTools } = config;
  const last = actions.filter(({ tool }) => !readTools.includes(tool)).slice(-oscillationWindow);
  const [one, other] = [last[0]?.file, last[1]?.file];
  if (last.length < oscillationWindow || !one || !other || one === other) return null;
  if (last.some(({ file }, index) => file !== (index % 2 === 0 ? one : other))) return null;
  if (isAllNew(last)) return null;
  const pair = [one, other].toSorted();
  return {
    level: 'stuck',
    rule: 'oscillation',
    // In order of name, or each further swing would be another loop.
    loop: `oscillation ${pair.join(' ')}`,
    reason: `oscillating between ${pair.join(' and ')} over the last ${oscillationWindow} changes`,
    advice: `You keep going back and forth between ${pair.join(' and ')}. Decide what both should hold, then change each once.`,
    evidence: last.map(({ seq }) => seq),
  };
}

/**
 * Going back and forth is work, not a loop, if it is known that no file came back to what it held before. A change that
 * failed left everything as it was, so it has no say in this.
 */
function isAllNew(actions: readonly NexoraAction[]): boolean {
  const changes = actions.filter(({ success }) => success);
  if (changes.length === 0 || changes.some(({ contentHash }) => contentHash === null)) return false;
  return new Set(changes.map(({ file, contentHash }) => `${file} ${contentHash}`)).size === changes.length;
}

function noProgress(mind: NexoraMind): TrackerVerdict | null {
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

/** Progress is judged once every few calls; a verdict on it is lifted as soon as it no longer holds. */
export function lookedAtProgress(mind: NexoraMind): NexoraMind {
  const isDue = mind.callsSinceReset % mind.config.progressCheckInterval === 0;
  const stalled = (mind.stalled || isDue) && lacksProgress(mind);
  return stalled === mind.stalled ? mind : { ...mind, stalled };
}

function lacksProgress({ config, actions, callsSinceReset, progressAt }: NexoraMind): boolean {
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
