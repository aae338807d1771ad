import { durationMs } from '../machine.ts';
import type { TrackerVerdict } from '../verdict.ts';
import { savantAdvice } from './advice.ts';
import type { SavantMind } from './mind.ts';
import { isStuckState, savantTimeoutMs } from './states.ts';

type Finding = { readonly loop: string; readonly reason: string; readonly evidence: readonly number[] };
type SavantRule = { readonly id: string; readonly look: (mind: SavantMind, at: number) => Finding | null };

/** What a repeated query says is more to the point than that one tool was used again, so it comes first. */
const rules: readonly SavantRule[] = [
  { id: 'repeated_query', look: repeatedQuery },
  { id: 'repeated_tool', look: repeatedTool },
  { id: 'failed_decisions', look: failedDecisions },
  { id: 'steps_in_state', look: stepsInState },
  { id: 'timeout', look: timeout },
];

/** What holds now. In a stuck state it is what led there; while finishing nothing is ever stuck. */
export function savantVerdicts(mind: SavantMind, at: number): readonly TrackerVerdict[] {
  const { state } = mind.machine;
  if (state === 'FINISHING') return [];
  if (mind.held !== null) return [mind.held];
  if (isStuckState(state)) return [enteredByHand(mind, at)];
  if (!mind.config.enable) return [];
  return rules.flatMap(({ id, look }) => {
    const finding = look(mind, at);
    return finding === null ? [] : [verdictOf(mind, id, { finding, at })];
  });
}

function verdictOf(
  mind: SavantMind,
  rule: string,
  { finding, at }: { readonly finding: Finding; readonly at: number },
): TrackerVerdict {
  return { level: 'stuck', rule, ...finding, advice: savantAdvice(mind, rule, at) };
}

function enteredByHand(mind: SavantMind, at: number): TrackerVerdict {
  const { state } = mind.machine;
  const finding = { loop: state, reason: `the loop declared itself stuck: ${state}`, evidence: [] };
  return verdictOf(mind, 'declared', { finding, at });
}

/** Found in the newest call only: an agent that has done something else since has left the loop. */
function repeatedQuery({ config, tools, queries }: SavantMind): Finding | null {
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

function repeatedTool({ config, tools }: SavantMind): Finding | null {
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

function failedDecisions({ config, machine, failedDecisions: failed }: SavantMind): Finding | null {
  if (machine.state !== 'DECIDING' || failed < config.failedDecisions) return null;
  return { loop: 'failed_decisions', reason: `${failed} decisions in a row have failed`, evidence: [] };
}

function stepsInState({ config, machine }: SavantMind): Finding | null {
  const { state, stateSteps } = machine;
  if (stateSteps < config.stepsInState) return null;
  return { loop: `steps_in_state ${state}`, reason: `${state} has lasted ${stateSteps} steps`, evidence: [] };
}

function timeout({ config, machine }: SavantMind, at: number): Finding | null {
  const limitMs = savantTimeoutMs(machine.state, config);
  const tookMs = durationMs(machine, at);
  if (limitMs === null || tookMs <= limitMs) return null;
  const reason = `${machine.state} has lasted ${tookMs}ms of at most ${limitMs}ms`;
  return { loop: `timeout ${machine.state}`, reason, evidence: [] };
}
