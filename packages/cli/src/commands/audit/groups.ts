import { measureWaste } from './ranking.ts';
import { addRunCosts, type AuditedRun, type RunCost, zeroRunCost } from './result.ts';

/** What the stuck runs with one rule or one tool wasted. */
export type WasteGroup = { readonly name: string; readonly stuck: number; readonly wasted: RunCost };

/** The runs of one source, such as an agent. */
export type SourceGroup = WasteGroup & { readonly runs: number };

/** The runs that started on one day in UTC. */
export type DayGroup = {
  readonly day: string;
  readonly runs: number;
  readonly stuck: number;
  readonly tokens: number;
  readonly wastedTokens: number;
};

/** Where tokens were wasted; each list starts with the most wasteful group, the days with the first. */
export type AuditGroups = {
  readonly rules: readonly WasteGroup[];
  readonly tools: readonly WasteGroup[];
  readonly sources: readonly SourceGroup[];
  readonly days: readonly DayGroup[];
};

/** The name of the tool of replies without a call. */
const noToolName = '(no tool)';

/** Groups runs as they are judged, in bounded memory. */
export function createRunGroups(): { add(run: AuditedRun): void; list(): AuditGroups } {
  const rules = new Map<string, SourceGroup>();
  const tools = new Map<string, SourceGroup>();
  const sources = new Map<string, SourceGroup>();
  const days = new Map<string, DayGroup>();
  return {
    add(run) {
      const { decisiveVerdict: verdict } = run;
      const wasted = verdict?.isStuck === true ? verdict.after : null;
      addToGroup(sources, run.source ?? 'unknown', wasted);
      if (verdict !== null && wasted !== null) {
        addToGroup(rules, verdict.rule, wasted);
        addToGroup(tools, (verdict.tool ?? noToolName).slice(0, groupNameMax), wasted);
      }
      addToDay(days, run, wasted);
    },
    list: () => ({
      rules: sortGroups(rules).map(omitRuns),
      tools: sortGroups(tools).map(omitRuns),
      sources: sortGroups(sources),
      days: [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    }),
  };
}

/** Maximum number of groups of one kind, and length of a name, because names come from traces. */
const groupsMax = 1_000;
const groupNameMax = 200;
const otherGroupName = '(other)';

function addToGroup(groups: Map<string, SourceGroup>, name: string, wasted: RunCost | null): void {
  const key = groups.has(name) || groups.size < groupsMax ? name : otherGroupName;
  const { runs, stuck, wasted: before } = groups.get(key) ?? { runs: 0, stuck: 0, wasted: zeroRunCost };
  groups.set(key, {
    name: key,
    runs: runs + 1,
    stuck: stuck + Number(wasted !== null),
    wasted: addRunCosts(before, wasted ?? zeroRunCost),
  });
}

function omitRuns({ name, stuck, wasted }: SourceGroup): WasteGroup {
  return { name, stuck, wasted };
}

function sortGroups(groups: ReadonlyMap<string, SourceGroup>): readonly SourceGroup[] {
  return [...groups.values()].toSorted(
    (a, b) =>
      measureWaste(b.wasted) - measureWaste(a.wasted) ||
      b.stuck - a.stuck ||
      b.runs - a.runs ||
      (a.name < b.name ? -1 : 1),
  );
}

/** About fifty years of days. */
const daysMax = 20_000;

/** Times outside of these years are not when an agent ran. */
const [firstTime, lastTime] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];

const emptyDay: Omit<DayGroup, 'day'> = { runs: 0, stuck: 0, tokens: 0, wastedTokens: 0 };

function addToDay(
  days: Map<string, DayGroup>,
  { startedAt, cost }: AuditedRun,
  wasted: RunCost | null,
): void {
  if (startedAt === null || !(startedAt >= firstTime && startedAt < lastTime)) return;
  const day = new Date(startedAt).toISOString().slice(0, 10);
  if (!days.has(day) && days.size >= daysMax) return;
  const { runs, stuck, tokens, wastedTokens } = days.get(day) ?? emptyDay;
  days.set(day, {
    day,
    runs: runs + 1,
    stuck: stuck + Number(wasted !== null),
    tokens: tokens + cost.tokens,
    wastedTokens: wastedTokens + (wasted?.tokens ?? 0),
  });
}
