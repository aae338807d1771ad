import {
  type Json,
  describeJsonKind,
  getJsonPath,
  isJsonObject,
  toOptionalId,
  toOptionalList,
  toOptionalString,
} from '../json/json.ts';
import { buildRecordedRun } from './build-run.ts';
import { parseTraceTime, parseTraceUsage, readRunSuccess, type TraceUsage } from './trace-fields.ts';
import { type TraceEntry, type TraceFormat, type TracePart, mergeTraces } from './trace-format.ts';
import { createUnknownEntry } from './unknown-records.ts';

/** Trajectories of moatless-tools: a tree of nodes, each with actions. Every branch of a search is a run of its own. */
export const moatlessFormat: TraceFormat = {
  name: 'moatless',
  sign: 'a root or nodes with a node_id and action steps (moatless-tools)',
  matches: (document) => getMoatlessRoots(document).some(({ node }) => isMoatlessNode(node)),
  parse(document, name) {
    const instance = getJsonPath(document, 'metadata', 'instance_id') ?? getJsonPath(document, 'instance_id');
    const id = toOptionalId(instance) ?? toOptionalId(getJsonPath(document, 'trajectory_id')) ?? name;
    const success = readRunSuccess(document) ?? readRunSuccess(getJsonPath(document, 'eval_result'));
    const facts = { source: 'moatless', ...(success === undefined ? {} : { success }) };
    return mergeTraces(
      listMoatlessBranches(document).map((nodes, index) => {
        const first = toOptionalId(getJsonPath(nodes[0]?.node, 'node_id')) ?? String(index);
        return buildRecordedRun(
          { ...facts, id: index === 0 ? id : `${id}/${first}` },
          readMoatlessNodes(nodes),
        );
      }),
    );
  },
};

type LocatedNode = { readonly node: Json; readonly location: string };

function getMoatlessRoots(document: Json): readonly LocatedNode[] {
  const nodes = toOptionalList(getJsonPath(document, 'nodes'));
  if (nodes !== undefined) return nodes.map((node, index) => ({ node, location: `nodes[${index}]` }));
  const root = getJsonPath(document, 'root');
  return root === undefined ? [{ node: document, location: '' }] : [{ node: root, location: 'root' }];
}

function isMoatlessNode(node: Json): boolean {
  return (
    typeof getJsonPath(node, 'node_id') === 'number' &&
    ['action_steps', 'children', 'action'].some((name) => getJsonPath(node, name) !== undefined)
  );
}

/**
 * Follows the first child of each node; each further child begins another branch, which holds only its own nodes, so
 * that nothing is counted twice. Iterative, because a trajectory is as deep as it is long.
 */
function listMoatlessBranches(document: Json): readonly (readonly LocatedNode[])[] {
  const roots = getMoatlessRoots(document);
  // A flat list of nodes is one branch.
  if (roots.length !== 1) return [roots];
  const branches: LocatedNode[][] = [];
  const pending = [...roots];
  for (let start = pending.pop(); start !== undefined; start = pending.pop()) {
    const branch: LocatedNode[] = [];
    for (let current: LocatedNode | undefined = start; current !== undefined;) {
      branch.push(current);
      const { node, location }: LocatedNode = current;
      const [first, ...others]: readonly Json[] = toOptionalList(getJsonPath(node, 'children')) ?? [];
      for (const [index, other] of [...others.entries()].toReversed())
        pending.push({ node: other, location: joinNodePath(location, index + 1) });
      current = first === undefined ? undefined : { node: first, location: joinNodePath(location, 0) };
    }
    branches.push(branch);
  }
  return branches;
}

/** The full path of a deep node is as long as the trajectory, so only its end is used. */
function joinNodePath(location: string, index: number): string {
  const path = `${location}${location === '' ? '' : '.'}children[${index}]`;
  return path.length <= nodePathMax ? path : `…children[${index}]`;
}

const nodePathMax = 120;

function* readMoatlessNodes(nodes: readonly LocatedNode[]): Generator<TraceEntry> {
  for (const { node, location } of nodes) {
    if (!isJsonObject(node)) {
      yield { type: 'problem', location, problem: `expected a node, got ${describeJsonKind(node)}` };
      continue;
    }
    const at = parseTraceTime(getJsonPath(node, 'timestamp'));
    const task =
      toOptionalString(getJsonPath(node, 'user_message')) ?? toOptionalString(getJsonPath(node, 'message'));
    if (task !== undefined && task !== '') yield { type: 'user', text: task, at };
    yield* reportUnknownSteps(node, location);
    const parts = readMoatlessParts(node);
    if (parts.length > 0) yield { type: 'reply', parts, at, usage: sumMoatlessUsage(node) };
    else if (task === undefined && !isMoatlessNode(node)) {
      const { children: _children, ...own } = node;
      yield createUnknownEntry(own, location);
    }
  }
}

/** A step is an action with its observation. */
function* reportUnknownSteps(node: Json, location: string): Generator<TraceEntry> {
  for (const [index, step] of (toOptionalList(getJsonPath(node, 'action_steps')) ?? []).entries()) {
    if (isMoatlessStep(step)) continue;
    yield createUnknownEntry(step, `${location}.action_steps[${index}]`, 'step without an action');
  }
}

function isMoatlessStep(step: Json): boolean {
  return isJsonObject(getJsonPath(step, 'action'));
}

/** Older versions have one action in a node. */
function listMoatlessSteps(node: Json): readonly Json[] {
  const steps = toOptionalList(getJsonPath(node, 'action_steps'));
  if (steps !== undefined) return steps.filter(isMoatlessStep);
  const action = getJsonPath(node, 'action');
  const observation = getJsonPath(node, 'observation') ?? getJsonPath(node, 'output') ?? null;
  return isJsonObject(action) ? [{ action, observation }] : [];
}

function readMoatlessParts(node: Json): readonly TracePart[] {
  const steps = listMoatlessSteps(node);
  const thoughts = [
    getJsonPath(node, 'assistant_message'),
    getJsonPath(node, 'thoughts', 'text'),
    ...steps.map((step) => getJsonPath(step, 'action', 'thoughts')),
  ];
  const text = thoughts.map(toOptionalString).find((each) => each !== undefined && each !== '');
  return [
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...steps.map((step): TracePart => {
      const action = getJsonPath(step, 'action');
      const observation = getJsonPath(step, 'observation');
      return {
        type: 'call',
        tool: getMoatlessTool(action),
        args: omitActionFields(action),
        ...(isJsonObject(observation)
          ? {
              outcome: {
                result: getJsonPath(observation, 'message'),
                error: readMoatlessFailure(observation),
              },
            }
          : {}),
      };
    }),
  ];
}

/** `moatless.actions.view_code.ViewCodeArgs` are the arguments of `ViewCode`. */
function getMoatlessTool(action: Json | undefined): string {
  const name =
    toOptionalString(getJsonPath(action, 'name')) ?? toOptionalString(getJsonPath(action, 'action_name'));
  const className = toOptionalString(getJsonPath(action, 'action_args_class'))?.split('.').at(-1);
  return name ?? className?.replace(/(?:Action)?(?:Args|Arguments)$/, '') ?? 'unknown';
}

const actionFields: ReadonlySet<string> = new Set(['thoughts', 'scratch_pad', 'action_args_class', 'name']);

function omitActionFields(action: Json | undefined): Json | undefined {
  if (!isJsonObject(action)) return action;
  return Object.fromEntries(Object.entries(action).filter(([name]) => !actionFields.has(name)));
}

/** An action that failed is one that the agent is expected to correct. */
function readMoatlessFailure(observation: Json): boolean {
  return (
    getJsonPath(observation, 'expect_correction') === true ||
    toOptionalString(getJsonPath(observation, 'properties', 'fail_reason')) !== undefined
  );
}

function sumMoatlessUsage(node: Json): TraceUsage | undefined {
  const completions = getJsonPath(node, 'completions');
  const all = [
    ...(isJsonObject(completions) ? Object.values(completions) : []),
    ...listMoatlessSteps(node).map((step) => getJsonPath(step, 'completion')),
  ];
  const usages = all.flatMap((completion) => parseTraceUsage(getJsonPath(completion, 'usage')) ?? []);
  if (usages.length === 0) return undefined;
  return {
    output: usages.reduce((sum, { output }) => sum + (output ?? 0), 0),
    input: usages.reduce((sum, { input }) => sum + (input ?? 0), 0),
  };
}
