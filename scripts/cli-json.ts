const runOutput =
  '`{"type":"start", folder, files, session}`, then `warning`, `reply`, `tool-result`, `failure` and the notes of [events.md](events.md) as they come, and last `{"type":"result", status, answer, reason, session, modelCalls, toolCalls, durationMs}`, where `status` is `answered`, `stuck`, `budget`, `denied`, `failed` or `interrupted`.';

const sessionsOutput = 'see [sessions.md](sessions.md).';

const memoryOutput = 'one object a line: `place`, `key`, `kind`, `pinned`, `at` and `value`.';

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
  ['pawl rm', '`{id, removed}`, one a line.'],
  ['pawl prune', '`{id, removed}`, one a line; with `--dry-run`, the sessions that would go.'],
  ['pawl hook install', '`{agent, path, changed}`.'],
  ['pawl hook remove', 'as `pawl hook install`.'],
  [
    'pawl proxy',
    '`{"type":"listening", url, upstream}`, then `found` (verdict, isFinish), `cut` and `over` (reason) as they come.',
  ],
  [
    'pawl verdict',
    '`{session, seq, rule, level, reason, mark, note}`, one a line: the verdict that was marked, or all of the session; see [observability.md](observability.md).',
  ],
  [
    'pawl audit',
    'one object: `runs`, each with its `finding` and `verdicts`; `totals`; and `problems`, what could not be read.',
  ],
  ['pawl stats', 'one object; see [observability.md](observability.md).'],
  ['pawl learn', 'one object; see [learning.md](learning.md).'],
  [
    'pawl tell',
    '`{id, command, sent, runs}`: what was kept for whoever runs the session, under which id; and whether somebody does: `alive`, `gone`, `unknown`, or `worker` where one is woken.',
  ],
  ['pawl dashboard', '`{"type":"listening", url, login}`.'],
  ['pawl submit', '`{id, tenant}`; with `--every` or `--cron`, `{name, tenant, next}`.'],
  [
    'pawl worker',
    'what it does as it comes: `{kind, session}` with `taken`, `waiting`, `ended`, `left`, `lost`, `swept`, `fired` or `removed`; `{kind: "parked", session, reason}`; `{kind: "rescheduled", schedule, tenant}`; `{kind: "trouble", message}`.',
  ],
  [
    'pawl queue show',
    '`{tenants, parked}`: each tenant `{tenant, waiting, delayed, active, stalled, limits}`, each of the parked `{session, reason, at}`.',
  ],
  ['pawl queue retry', '`{id, wasParked}`.'],
  [
    'pawl queue limit',
    '`{tenant, limits: {concurrency, rate: {max, perMs}}}`, null for each limit that there is not.',
  ],
  [
    'pawl queue schedules',
    'One line for each: `{name, tenant, when, goal, next}`; `when` is `{everyMs}` or `{cron, tz}`.',
  ],
  ['pawl queue unschedule', '`{name, tenant, removed}`.'],
  ['pawl queue drop', '`{id, dropped}`.'],
  ...['say', 'allow', 'deny', 'cancel', 'finish', 'halt'].map(
    (name) =>
      [`pawl queue ${name}`, '`{id, command}`: what was kept for whoever holds the session.'] as const,
  ),
  ['pawl memory list', `${memoryOutput} With \`--tags\`: \`{tag, entries}\`.`],
  ['pawl memory search', memoryOutput],
  [
    'pawl memory import',
    '`{kind, path, working_memory, storage, replaced, removed}`: how many entries went where.',
  ],
  [
    'pawl profiles list',
    'one object a line: `name`, `description`, `builtIn`, `protocol`, `terminal`, `chart` (a name or null) and `governor` (a preset).',
  ],
  ['pawl profiles show', 'the same object with all `settings`, defaults included.'],
  ['pawl init', '`{path, format, trusted, config}`; nothing is asked.'],
  [
    'pawl config show',
    '`{folder, userFile, projectFile, isTrusted, warnings, values}`. Each of `values` has `key`, `value`, `from` (`default`, `user`, `project`, `environment`, `flags`) and `where`: the file, the variable, or null. What looks like a secret is `[secret]`.',
  ],
  ['pawl config path', '`{user, project}`, each `{path, exists, trusted}`.'],
  [
    'pawl config check',
    '`{ok, files}`, each of them `{path, ok, problem, line, warnings}`; `problem` and `line` are null when nothing is wrong.',
  ],
  [
    'pawl doctor',
    '`{ok, checks}`, each of them `{name, needed, ok, found, advice}`; `advice` is null when there is nothing to do.',
  ],
]);
