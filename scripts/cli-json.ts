const runOutput =
  '`{"type":"start", folder, files, session}`, then `warning`, `reply`, `tool-result`, `failure` and the notes of [events.md](events.md) as they occur, and finally `{"type":"result", status, answer, reason, session, modelCalls, toolCalls, durationMs}`, where `status` is `answered`, `stuck`, `budget`, `denied`, `failed` or `interrupted`.';

const sessionsOutput = 'see [sessions.md](sessions.md).';

const memoryOutput = 'one object per line: `place`, `key`, `kind`, `pinned`, `at` and `value`.';

/** Describes the `--json` output of each command. A test requires an entry for every command that supports it. */
export const jsonOutputs: ReadonlyMap<string, string> = new Map([
  ['pawl run', runOutput],
  ['pawl chat', 'as `pawl run`.'],
  ['pawl resume', `as \`pawl run\`.`],
  ['pawl sessions', sessionsOutput],
  ['pawl show', sessionsOutput],
  ['pawl replay', sessionsOutput],
  ['pawl watch', 'as `pawl run`, without `start` and `result`.'],
  ['pawl fork', '`{id, parent: {id, at}}`.'],
  ['pawl diff', sessionsOutput],
  ['pawl rm', '`{id, removed}`, one per line.'],
  ['pawl prune', '`{id, removed}`, one per line; with `--dry-run`, the sessions that would be removed.'],
  [
    'pawl hook install',
    '`{agent, path, changed}`; without an agent `{agents}`, one such object or `{agent, error}` for each.',
  ],
  ['pawl hook remove', '`{agent, path, changed}`.'],
  [
    'pawl hook status',
    '`{agents}`: `{agent, title, isDetected, isGoverned, settings, week}` for each; `settings` are `{scope, path, command, commandExists}`, and `week` is `{sessions, advice, denials, stops}`.',
  ],
  [
    'pawl proxy',
    '`{"type":"listening", url, upstream}`, then `found` (verdict, isFinish), `cut` and `over` (reason) as they occur.',
  ],
  [
    'pawl verdict',
    '`{session, seq, rule, level, reason, mark, note}`, one per line: the verdict with the new feedback, or all verdicts of the session; see [observability.md](observability.md).',
  ],
  [
    'pawl audit',
    'one object: `runs`, each with its `finding`, its `verdicts`, and `incomplete`, which says what of it could not be read; `totals`; `problems`, the unreadable input; `groups`, the waste by rule, tool, source and day; and `folders`, those of coding agents that were read.',
  ],
  ['pawl stats', 'one object; see [observability.md](observability.md).'],
  ['pawl learn', 'one object; see [learning.md](learning.md).'],
  [
    'pawl tell',
    '`{id, command, sent, runs}`: the queued command, its id, and whether a process runs the session: `alive`, `gone`, `unknown`, or `worker` if a worker is woken.',
  ],
  ['pawl dashboard', '`{"type":"listening", url, login}`.'],
  ['pawl submit', '`{id, tenant}`; with `--every` or `--cron`, `{name, tenant, next}`.'],
  [
    'pawl worker',
    'reports as they occur: `{kind, session}` with `taken`, `waiting`, `ended`, `left`, `lost`, `swept`, `fired` or `removed`; `{kind: "parked", session, reason}`; `{kind: "rescheduled", schedule, tenant}`; `{kind: "trouble", message}`.',
  ],
  [
    'pawl queue show',
    '`{tenants, parked}`: each tenant `{tenant, waiting, delayed, active, stalled, limits}`, each dead letter `{session, reason, at}`.',
  ],
  ['pawl queue retry', '`{id, wasParked}`.'],
  [
    'pawl queue limit',
    '`{tenant, limits: {concurrency, rate: {max, perMs}}}`, null for each limit that is not set.',
  ],
  [
    'pawl queue schedules',
    'one line per schedule: `{name, tenant, when, goal, next}`; `when` is `{everyMs}` or `{cron, tz}`.',
  ],
  ['pawl queue unschedule', '`{name, tenant, removed}`.'],
  ['pawl queue drop', '`{id, dropped}`.'],
  ['pawl memory list', `${memoryOutput} With \`--tags\`: \`{tag, entries}\`.`],
  ['pawl memory search', memoryOutput],
  [
    'pawl memory import',
    '`{kind, path, working_memory, storage, replaced, removed}`: the number of entries per destination.',
  ],
  [
    'pawl profiles list',
    'one object per line: `name`, `description`, `builtIn`, `protocol`, `terminal`, `chart` (a name or null) and `governor` (a preset).',
  ],
  ['pawl profiles show', 'the same object with all `settings`, defaults included.'],
  [
    'pawl demo',
    '`{goal, requestsMax, withoutPawl, withPawl}`, each run `{lines, requests, tokens, answer, verdicts}`; each of `verdicts` has `severity`, `rule` and `reason`. Tokens are estimated.',
  ],
  ['pawl init', '`{path, format, trusted, config}`; asks no questions.'],
  [
    'pawl config show',
    '`{folder, userFile, projectFile, isTrusted, warnings, values}`. Each of `values` has `key`, `value`, `from` (`default`, `user`, `project`, `environment`, `flags`) and `where`: the file, the variable, or null. Values that look like secrets are `[secret]`.',
  ],
  ['pawl config path', '`{user, project}`, each `{path, exists, trusted}`.'],
  [
    'pawl config check',
    '`{ok, files}`, each of them `{path, ok, problem, line, problems, warnings}`. Each of `problems` has `message` and `line`; `problem` and `line` are those of the first one, and null if there is none.',
  ],
  [
    'pawl doctor',
    '`{ok, checks}`, each of them `{name, needed, ok, found, advice}`; `advice` is null if no action is needed.',
  ],
]);
