import { computeStateDuration } from '../tracker-machine.ts';
import type { TrackerVerdict } from '../tracker-verdict.ts';
import { buildSavantAdvice } from './advice.ts';
import type { SavantDetectorState } from './detector-state.ts';
import { isStuckState, getSavantTimeout } from './states.ts';

type SavantMatch = { readonly loop: string; readonly reason: string; readonly evidence: readonly number[] };
type SavantRule = {
  readonly id: string;
  readonly look: (mind: SavantDetectorState, at: number) => SavantMatch | null;
};

/** Repeated query comes first, because it is more specific than a repeated tool. */
const savantRules: readonly SavantRule[] = [
  { id: 'repeated_query', look: matchRepeatedQuery },
  { id: 'repeated_tool', look: matchRepeatedTool },
  { id: 'failed_decisions', look: matchFailedDecisions },
  { id: 'steps_in_state', look: matchStepsInState },
  { id: 'timeout', look: matchTimeout },
];

/** Returns the current verdicts. In a stuck state it is the one that led there; while finishing there are none. */
export function listSavantVerdicts(mind: SavantDetectorState, at: number): readonly TrackerVerdict[] {
  const { state } = mind.machine;
  if (state === 'FINISHING') return [];
  if (mind.held !== null) return [mind.held];
  if (isStuckState(state)) return [createDeclaredVerdict(mind, at)];
  if (!mind.config.enable) return [];
  return savantRules.flatMap(({ id, look }) => {
    const match = look(mind, at);
    return match === null ? [] : [createSavantVerdict(mind, id, { match, at })];
  });
}

function createSavantVerdict(
  mind: SavantDetectorState,
  rule: string,
  { match, at }: { readonly match: SavantMatch; readonly at: number },
): TrackerVerdict {
  return { level: 'stuck', rule, ...match, advice: buildSavantAdvice(mind, rule, at) };
}

function createDeclaredVerdict(mind: SavantDetectorState, at: number): TrackerVerdict {
  const { state } = mind.machine;
  const match = { loop: state, reason: `the loop declared itself stuck: ${state}`, evidence: [] };
  return createSavantVerdict(mind, 'declared', { match, at });
}

/** Matches the newest call only, because an agent that has done something else since has left the loop. */
function matchRepeatedQuery({ config, tools, queries }: SavantDetectorState): SavantMatch | null {
  const last = queries.slice(-config.repeatedQuery);
  if (last.at(-1)?.seq !== tools.at(-1)?.seq) return null;
  const query = last[0]?.query ?? '';
  if (query === '' || last.length < config.repeatedQuery) return null;
  if (last.some((each) => each.query !== query)) return null;
  return {
    loop: `repeated_query ${query}`,
    reason: `"${query}" was searched for ${config.repeatedQuery} times in a row`,
    evidence: last.map(({ seq }) => seq),
  };
}

function matchRepeatedTool({ config, tools }: SavantDetectorState): SavantMatch | null {
  const last = tools.slice(-config.repeatedTool);
  const [first] = last;
  if (first === undefined || last.length < config.repeatedTool) return null;
  const isSame = ({ tool, args }: typeof first): boolean =>
    tool === first.tool && (!config.matchArguments || args === first.args);
  if (!last.every(isSame)) return null;
  return {
    loop: `repeated_tool ${first.tool}`,
    reason: `${first.tool} was called ${config.repeatedTool} times in a row`,
    evidence: last.map(({ seq }) => seq),
  };
}

function matchFailedDecisions({
  config,
  machine,
  failedDecisions: failed,
}: SavantDetectorState): SavantMatch | null {
  if (machine.state !== 'DECIDING' || failed < config.failedDecisions) return null;
  return { loop: 'failed_decisions', reason: `${failed} decisions in a row have failed`, evidence: [] };
}

function matchStepsInState({ config, machine }: SavantDetectorState): SavantMatch | null {
  const { state, stateSteps } = machine;
  if (stateSteps < config.stepsInState) return null;
  return { loop: `steps_in_state ${state}`, reason: `${state} has lasted ${stateSteps} steps`, evidence: [] };
}

function matchTimeout({ config, machine }: SavantDetectorState, at: number): SavantMatch | null {
  const limitMs = getSavantTimeout(machine.state, config);
  const tookMs = computeStateDuration(machine, at);
  if (limitMs === null || tookMs <= limitMs) return null;
  const reason = `${machine.state} has lasted ${tookMs}ms of at most ${limitMs}ms`;
  return { loop: `timeout ${machine.state}`, reason, evidence: [] };
}
