import { isDeepStrictEqual } from 'node:util';
import type { Json, RequestedCall } from '@pawl/core';
import { memoryActionTypes } from '@pawl/core/memory';
import { isDeeperThan } from '../schema/json-value.ts';
import { toLiteralGlob, parseGlob, parseNameGlob } from '../search/glob.ts';
import { isSecretFile } from '../search/walk.ts';
import { createToolFailure, findTool, type Tool } from '../tools/tool.ts';
import type { PermissionCheck } from '../ports/agent-ports.ts';
import { resolveCallSubject, type CallSubject, type SubjectPath } from './call-subject.ts';
import { toLiteralPattern, matchesPlainCommand, matchesAnyCommand } from './command-pattern.ts';
import {
  getDefaultPermission,
  toCallImpact,
  protectionRules,
  getModeWarning,
  type CallImpact,
  type PermissionMode,
} from './modes.ts';
import type { ShellLine } from './shell-words.ts';
import {
  formatPermissionRule,
  computeSpecificity,
  type PermissionLevel,
  type PermissionRule,
} from './rule.ts';
import { foldPath } from '../platform/platform.ts';

export type PermissionPolicyOptions = {
  readonly mode: PermissionMode;
  readonly rules?: readonly PermissionRule[];
  /** The agent's working folder; a real path. */
  readonly root: string;
  /** The known tools; an unknown tool is assumed to be able to do anything. */
  readonly tools: readonly Pick<Tool, 'description' | 'effect' | 'isConfinedToFolder'>[];
  /** Whether commands run in a sandbox. Without one, no mode allows them by default. */
  readonly sandboxed: boolean;
  /** The platform whose rules for names and command lines apply; defaults to the current one. */
  readonly platform?: NodeJS.Platform;
};

/** The decision about a call and its reason, worded for the user and the model. */
export type PermissionExplanation = {
  readonly decision: PermissionLevel;
  readonly reason: string;
  /** The rule that decided; null if none did. */
  readonly rule: PermissionRule | null;
};

export type PermissionPolicy = {
  readonly mode: PermissionMode;
  /** Show this prominently before the work starts; null if there is no warning. */
  readonly warning: string | null;
  /** The check that the agent calls. */
  readonly rules: PermissionCheck;
  explain(call: RequestedCall): PermissionExplanation;
  /** The rule that "always" would add for this call: exactly this command, this file or these arguments. */
  createAlwaysRule(call: RequestedCall): PermissionRule | null;
  add(rule: PermissionRule): void;
  /** The user's current rules. */
  list(): readonly PermissionRule[];
  /**
   * Wraps tools so that each call is checked again for a denial when it runs, because a link may have changed since.
   */
  guard(tools: readonly Tool[]): readonly Tool[];
};

/** Decides which calls run, which require a prompt and which are denied. A deny rule always wins. */
export function createPermissionPolicy(options: PermissionPolicyOptions): PermissionPolicy {
  const rules = [...(options.rules ?? [])];
  const explain = (call: RequestedCall): PermissionExplanation => evaluateCall(options, rules, call);
  return {
    mode: options.mode,
    warning: getModeWarning(options.mode, options.sandboxed),
    rules: (call) => {
      const { decision, reason } = explain(call);
      return decision === 'deny' ? { permission: 'deny', reason: `Not allowed: ${reason}.` } : decision;
    },
    explain,
    createAlwaysRule: (call) => createAlwaysRule(options, call),
    add: (rule) => void rules.push(rule),
    list: () => [...rules],
    guard: (tools) => tools.map((tool) => guardTool(tool, explain)),
  };
}

/** Memory tools affect only the agent's own memory. */
const memoryToolNames: ReadonlySet<string> = new Set(memoryActionTypes);

function evaluateCall(
  options: PermissionPolicyOptions,
  rules: readonly PermissionRule[],
  call: RequestedCall,
): PermissionExplanation {
  if (hasTooDeepArguments(call.args))
    return createExplanation('deny', 'its arguments are nested too deeply to be displayed');
  const { mode } = options;
  const impact = getCallImpact(options, call);
  const subject = resolveCallSubject(options.root, call, options.platform);
  if (subject.hasMore) return createExplanation('deny', 'it refers to more paths than can be checked');
  const all = impact === 'change' ? [...rules, ...protectionRules] : rules;
  const matching = all.filter((rule) => matchesCall(rule, call, subject));
  const denyRule = selectMostSpecific(matching.filter(({ decision }) => decision === 'deny'));
  if (denyRule !== null) return explainRule(denyRule);
  const isOutside = subject.paths.some(({ isInside }) => !isInside);
  if (isOutside && findTool(options.tools, call.tool)?.isConfinedToFolder === true)
    return createExplanation('deny', 'it leads outside the folder');
  if (mode === 'read-only' && impact !== 'look')
    return createExplanation('deny', 'the mode read-only allows no changes');
  const matchedRule = selectMostSpecific(matching);
  if (matchedRule !== null) return askWhenUnreadable(explainRule(matchedRule), rules, subject);
  return askWhenUnreadable(applyPermissionMode(options, impact, { subject, isOutside }), rules, subject);
}

function getCallImpact(options: PermissionPolicyOptions, call: RequestedCall): CallImpact {
  return memoryToolNames.has(call.tool) ? 'look' : toCallImpact(findTool(options.tools, call.tool)?.effect);
}

type CallScope = { readonly subject: CallSubject; readonly isOutside: boolean };

function applyPermissionMode(
  { mode, sandboxed }: PermissionPolicyOptions,
  impact: CallImpact,
  { subject, isOutside }: CallScope,
): PermissionExplanation {
  const decision = getDefaultPermission(mode, impact);
  if (decision === 'allow' && impact === 'run' && !sandboxed) {
    return createExplanation('ask', 'there is no sandbox to contain it');
  }
  if (decision === 'allow' && isOutside)
    return createExplanation('ask', 'it refers to a path outside the folder');
  if (decision === 'allow' && subject.paths.some(({ names }) => names.some(isSecretFile))) {
    return createExplanation('ask', 'its file name suggests keys or passwords');
  }
  const notPlainReason = subject.line?.notPlainReason ?? null;
  const suffix = notPlainReason === null || decision !== 'ask' ? '' : `, and ${notPlainReason}`;
  return createExplanation(
    decision,
    `the mode ${mode} ${permissionVerbs[decision]} ${impactLabels[impact]}${suffix}`,
  );
}

const permissionVerbs: { readonly [Each in PermissionLevel]: string } = {
  allow: 'allows',
  ask: 'asks before',
  deny: 'denies',
};
const impactLabels: { readonly [Each in CallImpact]: string } = {
  look: 'reading',
  change: 'changing files',
  run: 'running commands',
};

/** A command line that cannot be parsed might run what a rule denies, so ask. */
function askWhenUnreadable(
  explanation: PermissionExplanation,
  rules: readonly PermissionRule[],
  { line }: CallSubject,
): PermissionExplanation {
  if (explanation.decision !== 'allow' || line === null || line.isComplete) return explanation;
  const denies = rules.some(({ decision, on }) => decision === 'deny' && on !== undefined);
  return denies
    ? createExplanation(
        'ask',
        `${line.notPlainReason ?? 'it cannot be parsed'}, and a rule denies some commands`,
      )
    : explanation;
}

/** Of two equally specific rules, the stricter one wins. */
function selectMostSpecific(rules: readonly PermissionRule[]): PermissionRule | null {
  const [first] = rules.toSorted(
    (a, b) =>
      computeSpecificity(b) - computeSpecificity(a) ||
      Number(a.decision === 'allow') - Number(b.decision === 'allow'),
  );
  return first ?? null;
}

function explainRule(rule: PermissionRule): PermissionExplanation {
  const isProtection = protectionRules.includes(rule);
  const reason = isProtection
    ? 'other programs act on this file'
    : `the rule "${formatPermissionRule(rule)}" applies`;
  return { decision: rule.decision, reason, rule };
}

function createExplanation(decision: PermissionLevel, reason: string): PermissionExplanation {
  return { decision, reason, rule: null };
}

function createAlwaysRule(
  { root, platform }: PermissionPolicyOptions,
  call: RequestedCall,
): PermissionRule | null {
  const { tool, args } = call;
  // A tool name with special characters could make the rule match more than this tool.
  if (hasTooDeepArguments(args) || !/^[\w.-]+$/.test(tool)) return null;
  const { line, paths } = resolveCallSubject(root, call, platform);
  const on = line === null ? toPathPattern(paths) : toCommandPattern(line, args);
  return on === null ? { decision: 'allow', tool, exactly: args } : { decision: 'allow', tool, on };
}

/**
 * If the call has arguments besides the command, such as a folder or a timeout, only an exact rule matches the
 * approval.
 */
function toCommandPattern({ commands: [words], notPlainReason }: ShellLine, args: Json): string | null {
  const isOnlyArgument =
    notPlainReason === null && typeof args === 'object' && Object.keys(args ?? {}).join() === 'command';
  return isOnlyArgument && words !== undefined ? toLiteralPattern(words) : null;
}

/** Returns null for a link, because its target may change later. */
function toPathPattern([path, ...others]: readonly SubjectPath[]): string | null {
  const [name, ...otherNames] = path?.isMain === true ? path.names : [];
  return name === undefined || others.length + otherNames.length > 0 ? null : toLiteralGlob(name);
}

function guardTool(tool: Tool, explain: (call: RequestedCall) => PermissionExplanation): Tool {
  return {
    ...tool,
    async run(args, context) {
      const { decision, reason } = explain({ tool: tool.description.name, args });
      if (decision === 'deny') return createToolFailure('denied', `This call is not allowed: ${reason}.`);
      return tool.run(args, context);
    },
  };
}

const argumentsDepthMax = 50;

function hasTooDeepArguments(args: Json): boolean {
  return isDeeperThan(args, argumentsDepthMax);
}

/**
 * Whether a rule applies to a call. An allow rule must cover the whole call; an ask or deny rule applies if it matches
 * any part of it.
 */
function matchesCall(rule: PermissionRule, call: RequestedCall, subject: CallSubject): boolean {
  if (!parseNameGlob(rule.tool)(call.tool)) return false;
  if (rule.exactly !== undefined) return isDeepStrictEqual(rule.exactly, call.args);
  if (rule.on === undefined) return true;
  if (rule.decision !== 'allow') return touchesSubject(rule.on, subject);
  if (subject.line !== null) return matchesPlainCommand(rule.on, subject.line);
  return coversAllPaths(rule.on, subject);
}

function coversAllPaths(pattern: string, { paths }: CallSubject): boolean {
  const matches = parseGlob(pattern);
  return matches !== null && paths.length > 0 && paths.every(({ names }) => names.every(matches));
}

/** Matches case-insensitively, because such names may be the same file, and matches everything inside a folder. */
function touchesSubject(pattern: string, { paths, line, platform }: CallSubject): boolean {
  if (line !== null && matchesAnyCommand(pattern, line, platform)) return true;
  const lower = pattern.toLowerCase();
  const globs = [parseGlob(lower), parseGlob(`${lower.replace(/\/$/, '')}/**`)];
  const folded = paths.flatMap(({ names }) => names.flatMap((name) => foldPath(name, platform)));
  return folded.some((name) => globs.some((matches) => matches === null || matches(name)));
}
