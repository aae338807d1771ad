import type { Json } from '@pawl/core';
import { fieldsOf, own, textIn, type Fields } from '../json-fields.ts';
import type { Host } from './fact.ts';

/** How long a host waits for a hook before it goes on without. */
const patienceSeconds = 10;

const events: Readonly<
  Record<Host['name'], readonly { readonly event: string; readonly matcher?: string }[]>
> = {
  claude: [
    { event: 'UserPromptSubmit' },
    { event: 'PreToolUse', matcher: '*' },
    { event: 'PostToolUse', matcher: '*' },
    { event: 'PostToolUseFailure', matcher: '*' },
    { event: 'SessionEnd' },
  ],
  codex: [
    { event: 'UserPromptSubmit' },
    { event: 'PreToolUse', matcher: '.*' },
    { event: 'PostToolUse', matcher: '.*' },
  ],
  gemini: [
    { event: 'BeforeAgent' },
    { event: 'BeforeToolSelection' },
    { event: 'BeforeTool', matcher: '.*' },
    { event: 'AfterTool', matcher: '.*' },
    { event: 'SessionEnd' },
  ],
};

/** What is added to a host's settings: an entry for each event that it has to tell of. */
export function entriesFor(host: Host['name'], command: string): Readonly<Record<string, Json>> {
  // Gemini counts in milliseconds.
  const timeout = host === 'gemini' ? patienceSeconds * 1_000 : patienceSeconds;
  const hook = { type: 'command', command, timeout };
  return Object.fromEntries(
    events[host].map(({ event, matcher }) => [
      event,
      matcher === undefined ? { hooks: [hook] } : { matcher, hooks: [hook] },
    ]),
  );
}

/** The settings with our entries, after those of others; entries of an earlier installation make room for them. */
export function withEntries(settings: Fields, host: Host['name'], command: string): Fields {
  const cleared = withoutEntries(settings, host);
  const hooks = fieldsOf(own(cleared, 'hooks')) ?? {};
  const added = Object.entries(entriesFor(host, command)).map(([event, entry]) => {
    const others = own(hooks, event);
    return [event, [...(Array.isArray(others) ? others : []), entry]] as const;
  });
  return { ...cleared, hooks: { ...hooks, ...Object.fromEntries(added) } };
}

/** The settings without our entries. What others wrote stays as it is; what is left empty by it goes with them. */
export function withoutEntries(settings: Fields, host: Host['name']): Fields {
  const hooks = fieldsOf(own(settings, 'hooks'));
  if (hooks === null || !hasEntries(settings, host)) return settings;
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups] as const];
    const left = groups.flatMap((group: Json) => withoutOurs(group, host));
    return left.length === 0 && groups.length > 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...others } = settings;
  return kept.length === 0 ? others : { ...settings, hooks: Object.fromEntries(kept) };
}

export function hasEntries(settings: Fields, host: Host['name']): boolean {
  const hooks = fieldsOf(own(settings, 'hooks')) ?? {};
  return Object.values(hooks).some(
    (groups) =>
      Array.isArray(groups) &&
      groups.some((group: Json) => hooksOf(group).some((hook) => isOurs(hook, host))),
  );
}

function withoutOurs(group: Json, host: Host['name']): readonly Json[] {
  const hooks = hooksOf(group);
  const left = hooks.filter((hook) => !isOurs(hook, host));
  if (left.length === hooks.length) return [group];
  return left.length === 0 ? [] : [{ ...fieldsOf(group), hooks: left }];
}

function hooksOf(group: Json): readonly Json[] {
  const hooks = own(fieldsOf(group) ?? {}, 'hooks');
  return Array.isArray(hooks) ? (hooks as readonly Json[]) : [];
}

/** Ours are known by the file that they run. */
function isOurs(hook: Json, host: Host['name']): boolean {
  const words = textIn(fieldsOf(hook) ?? {}, 'command').split(' ');
  const at = words.findIndex((word) => /[\\/]pawl-hook\.js["']?$/.test(word));
  return at !== -1 && words[at + 1] === host;
}
