import { createRecordedStepDraft, toRecordedStep, type RecordedStepDraft } from './recorded-step-draft.ts';
import type { TraceEntry, TracePart, TraceReply } from './trace-entry.ts';
import { createResultPairing, type ResultPairing } from './result-pairing.ts';
import type { RecordedRun } from './recorded-run.ts';
import { assignReplyTokens, mergeTraceUsage, type ReplyGroup } from './reply-group.ts';
import type { TraceUsage } from './trace-usage.ts';
import type { ParsedTrace, TraceProblem } from './trace-format.ts';

/** Maximum number of problems reported per document; the rest are counted. */
const traceProblemsMax = 100;

type RunBuilder = {
  readonly drafts: RecordedStepDraft[];
  readonly groups: ReplyGroup[];
  readonly keyed: Map<string, ReplyGroup>;
  readonly pairing: ResultPairing;
  readonly problems: TraceProblem[];
  /** Number of groups covered by the last usage entry. */
  counted: number;
};

/** Builds a run from the entries of a parser: every call with its result, in call order. */
export function buildRecordedRun(
  facts: Omit<RecordedRun, 'steps'>,
  entries: Iterable<TraceEntry>,
): ParsedTrace {
  const building: RunBuilder = {
    drafts: [],
    groups: [],
    keyed: new Map(),
    pairing: createResultPairing(),
    problems: [],
    counted: 0,
  };
  for (const entry of entries) addTraceEntry(building, entry);
  for (const { id, location } of building.pairing.leftOver()) {
    building.problems.push({ location, problem: `a result for the call ${id ?? ''}, which is not there` });
  }
  assignReplyTokens(building.groups);
  const problems = capProblems(building.problems);
  if (building.drafts.length === 0) {
    return { runs: [], problems: [...problems, { location: '', problem: `no step in the run ${facts.id}` }] };
  }
  return { runs: [{ ...facts, steps: building.drafts.map(toRecordedStep) }], problems };
}

/** Returns the first problems and the number of omitted ones. */
export function capProblems(problems: readonly TraceProblem[]): readonly TraceProblem[] {
  const more = problems.length - traceProblemsMax;
  if (more <= 0) return problems;
  return [
    ...problems.slice(0, traceProblemsMax),
    { location: '', problem: `${more} more problems like these` },
  ];
}

function addTraceEntry(building: RunBuilder, entry: TraceEntry): void {
  switch (entry.type) {
    case 'user':
      building.drafts.push({ ...createRecordedStepDraft('user', entry.at), text: entry.text });
      return;
    case 'reply':
      addTraceReply(building, entry);
      return;
    case 'result': {
      const problem = building.pairing.result(entry);
      if (problem !== null) building.problems.push({ location: entry.location, problem });
      return;
    }
    case 'failure': {
      const draft = building.pairing.find(entry.id);
      if (draft !== undefined) draft.error = entry.failed;
      return;
    }
    case 'usage':
      addTraceUsage(building, entry.usage);
      return;
    case 'problem':
      building.problems.push({ location: entry.location, problem: entry.problem });
      return;
    default:
      return entry satisfies never;
  }
}

/** Text belongs to the call that follows it; text after the last call is a step of its own. */
function addTraceReply(building: RunBuilder, { parts, key, at, usage, outcome }: TraceReply): void {
  const group = getReplyGroup(building, key);
  if (usage !== undefined) group.usage = mergeTraceUsage(group.usage, usage);
  let open = findOpenDraft(building, group);
  for (const part of parts) {
    if (part.type === 'thought') {
      group.hidden += part.text.length;
      continue;
    }
    open ??= startReplyDraft(building, group, at);
    if (part.type === 'text') open.text = joinReplyText(open.text, part.text);
    else {
      fillCallDraft(building.pairing, open, part);
      open = null;
    }
  }
  // An empty reply is also a step, unless it is a piece of another reply.
  if (parts.length === 0 && key === undefined)
    open = Object.assign(startReplyDraft(building, group, at), { text: '' });
  if (open !== null) Object.assign(open, outcome);
}

/** Returns the step that an earlier piece of the same reply started and no call has completed yet. */
function findOpenDraft({ drafts }: RunBuilder, group: ReplyGroup): RecordedStepDraft | null {
  const last = drafts.at(-1);
  return last !== undefined && last === group.drafts.at(-1) && last.tool === undefined ? last : null;
}

function startReplyDraft(building: RunBuilder, group: ReplyGroup, at: number | undefined): RecordedStepDraft {
  const draft = createRecordedStepDraft('assistant', at);
  building.drafts.push(draft);
  group.drafts.push(draft);
  return draft;
}

function getReplyGroup({ groups, keyed }: RunBuilder, key: string | undefined): ReplyGroup {
  const known = key === undefined ? undefined : keyed.get(key);
  if (known !== undefined) return known;
  const group: ReplyGroup = { drafts: [], hidden: 0, usage: undefined };
  groups.push(group);
  if (key !== undefined) keyed.set(key, group);
  return group;
}

function joinReplyText(before: string | undefined, text: string): string {
  return before === undefined || before === '' ? text : `${before}\n${text}`;
}

function fillCallDraft(
  pairing: ResultPairing,
  draft: RecordedStepDraft,
  call: Extract<TracePart, { type: 'call' }>,
): void {
  draft.tool = call.tool;
  draft.args = call.args;
  if (call.outcome !== undefined) {
    draft.result = call.outcome.result;
    draft.error = call.outcome.error;
    draft.answered = true;
  }
  pairing.call(draft, call.id);
}

function addTraceUsage(building: RunBuilder, usage: TraceUsage): void {
  const { groups } = building;
  const since = groups.slice(building.counted);
  if (since.every(({ drafts }) => drafts.length === 0)) return;
  building.counted = groups.length;
  for (const group of since) group.usage = { output: 0, input: 0 };
  const [first] = since;
  if (first !== undefined) first.usage = usage;
}
