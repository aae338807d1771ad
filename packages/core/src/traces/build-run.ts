import { newDraft, stepOf, type Draft } from './draft.ts';
import type { Entry, Part, Reply } from './entry.ts';
import { createPairing, type Pairing } from './pairing.ts';
import type { RecordedRun } from './recorded-run.ts';
import { countTokens, larger, type ReplyGroup } from './reply-group.ts';
import type { Usage } from './tokens.ts';
import type { ParsedTrace, TraceProblem } from './trace-format.ts';

/** How many problems of one document are told one by one; the rest are counted. */
const problemsMax = 100;

type Building = {
  readonly drafts: Draft[];
  readonly groups: ReplyGroup[];
  readonly keyed: Map<string, ReplyGroup>;
  readonly pairing: Pairing;
  readonly problems: TraceProblem[];
  /** How many of the groups were there when the last usage was told. */
  counted: number;
};

/** A run from what a parser found: every call with its result, in the order of the calls. */
export function buildRun(facts: Omit<RecordedRun, 'steps'>, entries: Iterable<Entry>): ParsedTrace {
  const building: Building = {
    drafts: [],
    groups: [],
    keyed: new Map(),
    pairing: createPairing(),
    problems: [],
    counted: 0,
  };
  for (const entry of entries) add(building, entry);
  for (const { id, where } of building.pairing.leftOver()) {
    building.problems.push({ where, problem: `a result for the call ${id ?? ''}, which is not there` });
  }
  countTokens(building.groups);
  const problems = capped(building.problems);
  if (building.drafts.length === 0) {
    return { runs: [], problems: [...problems, { where: '', problem: `no step in the run ${facts.id}` }] };
  }
  return { runs: [{ ...facts, steps: building.drafts.map(stepOf) }], problems };
}

/** The first of many problems, and the number of those left out. */
export function capped(problems: readonly TraceProblem[]): readonly TraceProblem[] {
  const more = problems.length - problemsMax;
  if (more <= 0) return problems;
  return [...problems.slice(0, problemsMax), { where: '', problem: `${more} more problems like these` }];
}

function add(building: Building, entry: Entry): void {
  switch (entry.type) {
    case 'user':
      building.drafts.push({ ...newDraft('user', entry.at), text: entry.text });
      return;
    case 'reply':
      addReply(building, entry);
      return;
    case 'result': {
      const problem = building.pairing.result(entry);
      if (problem !== null) building.problems.push({ where: entry.where, problem });
      return;
    }
    case 'failure': {
      const draft = building.pairing.find(entry.id);
      if (draft !== undefined) draft.error = entry.failed;
      return;
    }
    case 'usage':
      addUsage(building, entry.usage);
      return;
    case 'problem':
      building.problems.push({ where: entry.where, problem: entry.problem });
      return;
    default:
      return entry satisfies never;
  }
}

/** Text goes with the call that follows it; what is said after the last call is a step of its own. */
function addReply(building: Building, { parts, key, at, usage, outcome }: Reply): void {
  const group = groupFor(building, key);
  if (usage !== undefined) group.usage = larger(group.usage, usage);
  let open = openDraft(building, group);
  for (const part of parts) {
    if (part.type === 'thought') {
      group.hidden += part.text.length;
      continue;
    }
    open ??= begin(building, group, at);
    if (part.type === 'text') open.text = joined(open.text, part.text);
    else {
      fill(building.pairing, open, part);
      open = null;
    }
  }
  // A reply of nothing is one too, unless it is a piece of another.
  if (parts.length === 0 && key === undefined) open = Object.assign(begin(building, group, at), { text: '' });
  if (open !== null) Object.assign(open, outcome);
}

/** The step that a piece of the same reply began and no call has finished yet. */
function openDraft({ drafts }: Building, group: ReplyGroup): Draft | null {
  const last = drafts.at(-1);
  return last !== undefined && last === group.drafts.at(-1) && last.tool === undefined ? last : null;
}

function begin(building: Building, group: ReplyGroup, at: number | undefined): Draft {
  const draft = newDraft('assistant', at);
  building.drafts.push(draft);
  group.drafts.push(draft);
  return draft;
}

function groupFor({ groups, keyed }: Building, key: string | undefined): ReplyGroup {
  const known = key === undefined ? undefined : keyed.get(key);
  if (known !== undefined) return known;
  const group: ReplyGroup = { drafts: [], hidden: 0, usage: undefined };
  groups.push(group);
  if (key !== undefined) keyed.set(key, group);
  return group;
}

function joined(before: string | undefined, text: string): string {
  return before === undefined || before === '' ? text : `${before}\n${text}`;
}

function fill(pairing: Pairing, draft: Draft, call: Extract<Part, { type: 'call' }>): void {
  draft.tool = call.tool;
  draft.args = call.args;
  if (call.outcome !== undefined) {
    draft.result = call.outcome.result;
    draft.error = call.outcome.error;
    draft.answered = true;
  }
  pairing.call(draft, call.id);
}

function addUsage(building: Building, usage: Usage): void {
  const { groups } = building;
  const since = groups.slice(building.counted);
  if (since.every(({ drafts }) => drafts.length === 0)) return;
  building.counted = groups.length;
  for (const group of since) group.usage = { output: 0, input: 0 };
  const [first] = since;
  if (first !== undefined) first.usage = usage;
}
