import { memoryActionTypes, type Json, type RequestedCall } from '@pawl/core';
import { isDeeperThan } from '../schema/json-depth.ts';
import { literalGlob } from '../search/glob.ts';
import { isSecretFile } from '../search/secret-files.ts';
import { failure, type Tool } from '../tools/tool.ts';
import type { Rules } from '../work.ts';
import { subjectOf, type CallSubject, type SubjectPath } from './call-subject.ts';
import { literalPattern } from './command-pattern.ts';
import { isAbout } from './matching.ts';
import { byDefault, deedOf, protections, warningOf, type Deed, type PermissionMode } from './modes.ts';
import type { ShellLine } from './shell-words.ts';
import { formatRule, specificity, type Permission, type PermissionRule } from './rule.ts';

export type PermissionsOptions = {
  readonly mode: PermissionMode;
  readonly rules?: readonly PermissionRule[];
  /** The folder the agent works in; a real path. */
  readonly root: string;
  /** What is known of the tools; one that is not among them is taken for one that may do anything. */
  readonly tools: readonly Pick<Tool, 'description' | 'effect'>[];
  /** Whether commands are held back by a sandbox. Where they are not, no mode allows them by itself. */
  readonly sandboxed: boolean;
};

/** What becomes of a call, and why, in words for a person and for the model. */
export type Explanation = {
  readonly decision: Permission;
  readonly why: string;
  /** The rule that decided, if one did. */
  readonly rule: PermissionRule | null;
};

export type Permissions = {
  readonly mode: PermissionMode;
  /** To be shown, loudly, before the work begins; null when there is nothing to warn of. */
  readonly warning: string | null;
  /** For the agent. */
  readonly rules: Rules;
  explain(call: RequestedCall): Explanation;
  /** The rule that "always" would mean for this call: this command, this file, these arguments, and nothing besides. */
  alwaysFor(call: RequestedCall): PermissionRule | null;
  add(rule: PermissionRule): void;
  /** The user's rules, as they are now. */
  list(): readonly PermissionRule[];
  /** Tools that look once more, when they run, whether they are denied: a link may have been put in place since. */
  guard(tools: readonly Tool[]): readonly Tool[];
};

/** Decides which calls run, which are asked for, and which are refused. A rule that denies always wins. */
export function createPermissions(options: PermissionsOptions): Permissions {
  const rules = [...(options.rules ?? [])];
  const explain = (call: RequestedCall): Explanation => judge(options, rules, call);
  return {
    mode: options.mode,
    warning: warningOf(options.mode, options.sandboxed),
    rules: (call) => {
      const { decision, why } = explain(call);
      return decision === 'deny' ? { permission: 'deny', because: `Not allowed: ${why}.` } : decision;
    },
    explain,
    alwaysFor: (call) => alwaysFor(options, call),
    add: (rule) => void rules.push(rule),
    list: () => [...rules],
    guard: (tools) => tools.map((tool) => guarded(tool, explain)),
  };
}

/** Tools whose paths are meant to lie in the folder. */
const workspaceTools: ReadonlySet<string> = new Set(['read', 'glob', 'write', 'edit', 'shell', 'test']);

/** What the agent does with its own memory touches nothing else. */
const memoryTools: ReadonlySet<string> = new Set(memoryActionTypes);

function judge(
  options: PermissionsOptions,
  rules: readonly PermissionRule[],
  call: RequestedCall,
): Explanation {
  if (isTooDeep(call.args))
    return explained('deny', 'its arguments are nested too deep to be shown to anybody');
  const { mode } = options;
  const deed = deedFor(options, call);
  const subject = subjectOf(options.root, call);
  if (subject.hasMore) return explained('deny', 'it is about more paths than can be looked at');
  const all = deed === 'change' ? [...rules, ...protections] : rules;
  const about = all.filter((rule) => isAbout(rule, call, subject));
  const denied = mostSpecific(about.filter(({ decision }) => decision === 'deny'));
  if (denied !== null) return byRule(denied);
  const isOutside = subject.paths.some(({ isInside }) => !isInside);
  if (isOutside && workspaceTools.has(call.tool)) return explained('deny', 'it leads out of the folder');
  if (mode === 'read-only' && deed !== 'look')
    return explained('deny', 'the mode read-only lets nothing change');
  const decided = mostSpecific(about);
  if (decided !== null) return withCare(byRule(decided), rules, subject);
  return withCare(withoutRule(options, deed, { subject, isOutside }), rules, subject);
}

function deedFor({ tools }: PermissionsOptions, { tool }: RequestedCall): Deed {
  if (memoryTools.has(tool)) return 'look';
  return deedOf(tools.find(({ description }) => description.name === tool)?.effect);
}

type Seen = { readonly subject: CallSubject; readonly isOutside: boolean };

function withoutRule(
  { mode, sandboxed }: PermissionsOptions,
  deed: Deed,
  { subject, isOutside }: Seen,
): Explanation {
  const decision = byDefault(mode, deed);
  if (decision === 'allow' && deed === 'run' && !sandboxed) {
    return explained('ask', 'there is no sandbox to hold it back');
  }
  if (decision === 'allow' && isOutside) return explained('ask', 'it is about something outside the folder');
  if (decision === 'allow' && subject.paths.some(({ names }) => names.some(isSecretFile))) {
    return explained('ask', 'by its name it may hold keys or passwords');
  }
  const composite = subject.line?.notPlain ?? null;
  const because = composite === null || decision !== 'ask' ? '' : `, and ${composite}`;
  return explained(decision, `the mode ${mode} ${says[decision]} ${deeds[deed]}${because}`);
}

const says: { readonly [Each in Permission]: string } = {
  allow: 'allows',
  ask: 'asks before',
  deny: 'denies',
};
const deeds: { readonly [Each in Deed]: string } = {
  look: 'looking at things',
  change: 'changing files',
  run: 'running things',
};

/** What cannot be read might be what a rule denies. */
function withCare(
  explanation: Explanation,
  rules: readonly PermissionRule[],
  { line }: CallSubject,
): Explanation {
  if (explanation.decision !== 'allow' || line === null || line.isKnown) return explanation;
  const denies = rules.some(({ decision, on }) => decision === 'deny' && on !== undefined);
  return denies
    ? explained('ask', `${line.notPlain ?? 'it is unclear'}, and some commands are denied`)
    : explanation;
}

/** Of two that are equally specific the more careful one. */
function mostSpecific(rules: readonly PermissionRule[]): PermissionRule | null {
  const [first] = rules.toSorted(
    (a, b) =>
      specificity(b) - specificity(a) || Number(a.decision === 'allow') - Number(b.decision === 'allow'),
  );
  return first ?? null;
}

function byRule(rule: PermissionRule): Explanation {
  const isOwn = protections.includes(rule);
  const why = isOwn ? 'other programs obey this file' : `the rule "${formatRule(rule)}" says so`;
  return { decision: rule.decision, why, rule };
}

function explained(decision: Permission, why: string): Explanation {
  return { decision, why, rule: null };
}

function alwaysFor({ root }: PermissionsOptions, call: RequestedCall): PermissionRule | null {
  const { tool, args } = call;
  // A name with a sign in it that means something in a rule would make the rule about more than this tool.
  if (isTooDeep(args) || !/^[\w.-]+$/.test(tool)) return null;
  const { line, paths } = subjectOf(root, call);
  const on = line === null ? onlyPath(paths) : onlyCommand(line, args);
  return on === null ? { decision: 'allow', tool, exactly: args } : { decision: 'allow', tool, on };
}

/** A folder to run in, a limit, anything else beside the command: then only all of it together is what was allowed. */
function onlyCommand({ commands: [words], notPlain }: ShellLine, args: Json): string | null {
  const isAll = notPlain === null && typeof args === 'object' && Object.keys(args ?? {}).join() === 'command';
  return isAll && words !== undefined ? literalPattern(words) : null;
}

/** A link leads elsewhere tomorrow. */
function onlyPath([path, ...others]: readonly SubjectPath[]): string | null {
  const [name, ...elsewhere] = path?.isMain === true ? path.names : [];
  return name === undefined || others.length + elsewhere.length > 0 ? null : literalGlob(name);
}

function guarded(tool: Tool, explain: (call: RequestedCall) => Explanation): Tool {
  return {
    ...tool,
    async run(args, context) {
      const { decision, why } = explain({ tool: tool.description.name, args });
      if (decision === 'deny') return failure('denied', `This call is not allowed: ${why}.`);
      return tool.run(args, context);
    },
  };
}

const depthMax = 50;

function isTooDeep(args: Json): boolean {
  return isDeeperThan(args, depthMax);
}
