import type { Json } from '../json/json.ts';
import {
  createRecordedStep,
  limitDepth,
  type TraceUsage,
  estimateJsonLength,
  estimateTextTokens,
} from './trace-fields.ts';
import { omissionAdvice, RecordCounter } from './record-counter.ts';
import type {
  RecordedRun,
  RecordedStep,
  TraceEntry,
  TracePart,
  TraceReply,
  TraceResult,
  ParsedTrace,
  TraceProblem,
} from './trace-format.ts';

/** Maximum number of problems reported per document; the rest are counted. */
const traceProblemsMax = 100;

type RunBuilder = {
  readonly drafts: RecordedStepDraft[];
  readonly groups: ReplyGroup[];
  readonly keyed: Map<string, ReplyGroup>;
  readonly pairing: ResultPairing;
  readonly problems: TraceProblem[];
  readonly records: RecordCounter;
  /** Number of groups covered by the last usage entry. */
  counted: number;
  total: TraceUsage | undefined;
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
    records: new RecordCounter(),
    counted: 0,
    total: undefined,
  };
  for (const entry of entries) {
    building.records.count(entry);
    if (entry.type !== 'unknown') addTraceEntry(building, entry);
  }
  const leftOver = building.pairing.leftOver();
  for (const { id, location } of leftOver) {
    building.problems.push({ location, problem: `a result for the call ${id ?? ''}, which is not there` });
  }
  if (building.total !== undefined) shareTotalUsage(building.groups, building.total);
  assignReplyTokens(building.groups);
  const missing = listMissingParts(building.drafts, leftOver.length);
  const problems = capProblems([
    ...building.problems,
    ...building.records.listProblems(),
    ...missing.map((problem) => ({ location: '', problem: `${facts.id}: ${problem}` })),
  ]);
  if (building.drafts.length === 0) {
    return { runs: [], problems: [...problems, { location: '', problem: `no step in the run ${facts.id}` }] };
  }
  const incomplete = building.records.describeOmission() ?? missing[0];
  const steps = building.drafts.map(toRecordedStep);
  return { runs: [{ ...facts, ...(incomplete === undefined ? {} : { incomplete }), steps }], problems };
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

function addTraceEntry(building: RunBuilder, entry: Exclude<TraceEntry, { type: 'unknown' }>): void {
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
      if (draft !== undefined) {
        draft.error = entry.failed ?? draft.error;
        draft.exitCode = entry.exitCode ?? draft.exitCode;
      }
      return;
    }
    case 'usage':
      addTraceUsage(building, entry.usage);
      return;
    case 'total':
      building.total = entry.usage;
      return;
    case 'problem':
      building.problems.push({ location: entry.location, problem: entry.problem });
      return;
    default:
      return entry satisfies never;
  }
}

/** What of a step shows whether its parts were read. */
type CallParts = {
  readonly role: RecordedStep['role'];
  readonly text?: string | undefined;
  readonly tool?: string | undefined;
  readonly args?: Json | undefined;
  readonly result?: Json | undefined;
  /** Whether the call has a result, although it may be empty. */
  readonly answered?: boolean;
};

/**
 * Lists the parts that every run has and this one lacks, which happens if a newer version of its program renamed a field.
 * A single call may still be at work, or have no arguments.
 */
export function listMissingParts(drafts: readonly CallParts[], leftOver: number): readonly string[] {
  const replies = drafts.filter(({ role }) => role === 'assistant');
  const calls = replies.filter(({ tool }) => tool !== undefined);
  const open = calls.filter(({ answered, result }) => answered !== true && result === undefined).length;
  const missing: string[] = [];
  if (replies.length > 1 && replies.every(({ text = '', tool }) => text === '' && tool === undefined))
    missing.push(`none of the ${replies.length} replies has a text or a call that can be read`);
  // The first part of a conversation may be missing, with the calls of its results.
  if (leftOver > 1 && leftOver > calls.length)
    missing.push(`${leftOver} results belong to calls that could not be read`);
  if (calls.length < 3) return missing.map((each) => `${each}; ${omissionAdvice}`);
  if (open === calls.length || (calls.length >= 4 && open * 2 > calls.length))
    missing.push(`${open} of the ${calls.length} calls have no result that can be read`);
  else if (calls.every(({ result }) => result === undefined))
    missing.push(`no result of the ${calls.length} calls has a content that can be read`);
  if (calls.every(({ args }) => args === undefined))
    missing.push(`none of the ${calls.length} calls has arguments that can be read`);
  if (calls.every(({ tool }) => tool === 'unknown'))
    missing.push(`none of the ${calls.length} calls has the name of a tool`);
  return missing.map((each) => `${each}; ${omissionAdvice}`);
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
    draft.exitCode = call.outcome.exitCode;
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

/** A step under construction. */
export type RecordedStepDraft = {
  readonly role: RecordedStep['role'];
  readonly at: number | undefined;
  text: string | undefined;
  tool: string | undefined;
  args: Json | undefined;
  result: Json | undefined;
  error: boolean | undefined;
  exitCode: number | undefined;
  tokens: number | undefined;
  inputTokens: number | undefined;
  cachedTokens: number | undefined;
  /** Whether the call has its result. */
  answered: boolean;
};

function createRecordedStepDraft(role: RecordedStep['role'], at: number | undefined): RecordedStepDraft {
  return {
    role,
    at,
    text: undefined,
    tool: undefined,
    args: undefined,
    result: undefined,
    error: undefined,
    exitCode: undefined,
    tokens: undefined,
    inputTokens: undefined,
    cachedTokens: undefined,
    answered: false,
  };
}

function toRecordedStep(draft: RecordedStepDraft, i: number): RecordedStep {
  const { role, text, tool, error, exitCode, tokens, inputTokens, cachedTokens, at } = draft;
  const [args, result] = [limitDepth(draft.args), limitDepth(draft.result)];
  return createRecordedStep({
    i,
    role,
    text,
    tool,
    args,
    result,
    error,
    exitCode,
    tokens,
    inputTokens,
    cachedTokens,
    at,
  });
}

/** One model reply: its steps, the length of its reasoning in characters, and its usage, if reported. */
export type ReplyGroup = {
  readonly drafts: RecordedStepDraft[];
  hidden: number;
  usage: TraceUsage | undefined;
};

/** A reply recorded in pieces may repeat its usage, each time more complete. */
function mergeTraceUsage(known: TraceUsage | undefined, next: TraceUsage): TraceUsage {
  if (known === undefined) return next;
  return {
    output: maxOptional(known.output, next.output),
    input: maxOptional(known.input, next.input),
    cached: maxOptional(known.cached, next.cached),
  };
}

/**
 * Assigns each reply's usage to its first step, so that the steps add up to it. Without reported usage, each step's
 * tokens are estimated from its text and arguments. A reply with only reasoning has no step, so the next reply bears
 * its usage.
 */
function assignReplyTokens(groups: readonly ReplyGroup[]): void {
  let output = 0;
  let input: number | undefined;
  let cached: number | undefined;
  for (const { drafts, hidden, usage } of groups) {
    const isCounted = usage?.output !== undefined;
    output += usage?.output ?? estimateTextTokens(hidden);
    input = addOptional(input, usage?.input);
    cached = addOptional(cached, usage?.cached);
    const [first] = drafts;
    if (first === undefined) continue;
    for (const draft of drafts) draft.tokens = isCounted ? 0 : estimateDraftTokens(draft);
    first.tokens = (first.tokens ?? 0) + output;
    first.inputTokens = input;
    first.cachedTokens = cached;
    output = 0;
    input = undefined;
    cached = undefined;
  }
}

function addOptional(sum: number | undefined, count: number | undefined): number | undefined {
  return count === undefined ? sum : (sum ?? 0) + count;
}

/**
 * Shares the usage of a run among its replies: the output in proportion to what they wrote, the input in equal parts.
 * A reply that has a usage of its own shows that the total is not all that is known, so it is not used.
 */
function shareTotalUsage(groups: readonly ReplyGroup[], { output, input, cached }: TraceUsage): void {
  if (groups.some(({ usage }) => usage !== undefined)) return;
  const outputs = splitCount(output, groups.map(estimateGroupTokens));
  const equal = groups.map(() => 1);
  const inputs = splitCount(input, equal);
  const cachedParts = splitCount(cached, equal);
  for (const [index, group] of groups.entries())
    group.usage = { output: outputs?.[index], input: inputs?.[index], cached: cachedParts?.[index] };
}

function estimateGroupTokens({ drafts, hidden }: ReplyGroup): number {
  return drafts.reduce((sum, draft) => sum + estimateDraftTokens(draft), 1 + estimateTextTokens(hidden));
}

/** Splits a count into whole parts that add up to it. */
function splitCount(count: number | undefined, weights: readonly number[]): readonly number[] | undefined {
  if (count === undefined) return undefined;
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let weighed = 0;
  let given = 0;
  return weights.map((weight) => {
    weighed += weight;
    const part = Math.round(count * (weighed / whole)) - given;
    given += part;
    return part;
  });
}

function maxOptional(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

function estimateDraftTokens({ text, args }: RecordedStepDraft): number {
  return estimateTextTokens((text?.length ?? 0) + estimateJsonLength(args));
}

/** Calls that wait for their results, oldest first; calls answered in another way are skipped. */
type DraftQueue = { readonly drafts: RecordedStepDraft[]; next: number };

/** Pairs calls with their results. */
export type ResultPairing = {
  call(draft: RecordedStepDraft, id: string | undefined): void;
  /** Returns a problem, or null. */
  result(result: TraceResult): string | null;
  /** Returns the newest call with this id, answered or not. */
  find(id: string): RecordedStepDraft | undefined;
  /** Returns results whose call was never found. */
  leftOver(): readonly TraceResult[];
};

/**
 * A result belongs to the oldest unanswered call with its id, because some models use an id twice and some logs write a
 * result before its call. A result without an id belongs to the oldest call of its tool, otherwise to the oldest call.
 */
function createResultPairing(): ResultPairing {
  const byId = new Map<string, DraftQueue>();
  const byTool = new Map<string, DraftQueue>();
  const everyCall: DraftQueue = { drafts: [], next: 0 };
  const early = new Map<string, TraceResult[]>();

  return {
    call(draft, id) {
      everyCall.drafts.push(draft);
      enqueueDraft(byTool, draft.tool ?? '', draft);
      if (id === undefined) return;
      enqueueDraft(byId, id, draft);
      const waiting = early.get(id)?.shift();
      if (waiting !== undefined) answerDraft(draft, waiting);
    },
    result(result) {
      const { id, tool } = result;
      if (id === undefined) {
        const draft = findOldestUnanswered(byTool.get(tool ?? '')) ?? findOldestUnanswered(everyCall);
        return draft === undefined
          ? 'a result without an id, and no call waits for one'
          : answerDraft(draft, result);
      }
      const queue = byId.get(id);
      const draft = findOldestUnanswered(queue);
      if (draft !== undefined) return answerDraft(draft, result);
      if (queue !== undefined) return result.repeated === true ? null : `a second result for the call ${id}`;
      const waiting = early.get(id);
      if (waiting === undefined) early.set(id, [result]);
      else waiting.push(result);
      return null;
    },
    find: (id) => byId.get(id)?.drafts.at(-1),
    leftOver: () => [...early.values()].flat().filter(({ repeated }) => repeated !== true),
  };
}

function enqueueDraft(queues: Map<string, DraftQueue>, key: string, draft: RecordedStepDraft): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { drafts: [draft], next: 0 });
  else queue.drafts.push(draft);
}

function findOldestUnanswered(queue: DraftQueue | undefined): RecordedStepDraft | undefined {
  if (queue === undefined) return undefined;
  while (queue.drafts[queue.next]?.answered === true) queue.next += 1;
  return queue.drafts[queue.next];
}

function answerDraft(draft: RecordedStepDraft, { result, error, exitCode }: TraceResult): null {
  draft.result = result;
  draft.error ??= error;
  draft.exitCode ??= exitCode;
  draft.answered = true;
  return null;
}
