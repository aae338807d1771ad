/*
 * The names that releases before 0.2.0 used in a session. A log they recorded has hashes of sessions with these names,
 * so a replayed session is translated back before it is compared. This list is independent of the code that upgrades
 * stored sessions.
 */

type Fields = { readonly [key: string]: unknown };

export function toRecordedNames(session: object): Fields {
  const { budgetUsage, logVersion, settings, turn, governor, ...rest } = session as Fields;
  return {
    ...rest,
    spent: budgetUsage,
    ...(logVersion !== undefined && { behaviour: logVersion }),
    settings: translateSettings(settings as Fields),
    turn: translateTurn(turn as Fields),
    governor: translateGovernor(governor as Fields),
  };
}

function rename(value: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [Object.hasOwn(names, key) ? names[key] : key, each]),
  ) as Fields;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Translates the parts of a value that exist and are objects. */
function translateParts(value: Fields, parts: Readonly<Record<string, (part: Fields) => unknown>>): Fields {
  const translated = Object.entries(parts).flatMap(([key, translate]) => {
    const part = value[key];
    return isFields(part) ? [[key, translate(part)]] : [];
  });
  return { ...value, ...(Object.fromEntries(translated) as Fields) };
}

function translateList(value: unknown, translate: (item: Fields) => unknown): unknown {
  return (value as readonly Fields[]).map(translate);
}

function translateRule(id: unknown): unknown {
  return id === 'repetition-loop' ? 'chanting' : id;
}

function translateSeverity(name: unknown): unknown {
  if (name === 'block') return 'refuse';
  return name === 'stop' ? 'finish' : name;
}

function translateSettings(settings: Fields): Fields {
  return translateParts(settings, {
    governor: (governor) =>
      translateParts(governor, {
        rules: (rules) =>
          Object.fromEntries(
            Object.entries(rules).map(([id, change]) => [
              translateRule(id),
              isFields(change) ? rename(change, { block: 'refuse', stop: 'finish' }) : change,
            ]),
          ),
      }),
    chart: (chart) => ({
      ...rename(chart, { transitions: 'hops' }),
      states: translateList(chart['states'], (state) => rename(state, { afterText: 'afterWords' })),
    }),
  });
}

function translateVerdict(verdict: Fields): Fields {
  const level = verdict['severity'] === 'advise' ? 'suspect' : 'stuck';
  const renamed = { ...rename(verdict, { severity: 'level' }), level, rule: translateRule(verdict['rule']) };
  return translateParts(renamed, {
    response: (response) => ({
      ...response,
      kind: translateSeverity(response['kind']),
      ...(response['calls'] !== undefined && {
        calls: translateList(response['calls'], (call) => rename(call, { denialReason: 'because' })),
      }),
    }),
  });
}

function translateFinish(finish: Fields): Fields {
  return { ...finish, rule: translateRule(finish['rule']) };
}

function translateAgenda(agenda: Fields): Fields {
  return translateParts(rename(agenda, { steering: 'said' }), {
    verdict: translateVerdict,
    finish: translateFinish,
  });
}

function translateIntent(ask: Fields): Fields {
  return translateParts(ask, { agenda: translateAgenda, finish: translateFinish });
}

function translateWork(work: Fields): Fields {
  return translateParts(work, {
    agenda: translateAgenda,
    ask: translateIntent,
    hooks: translateWork,
    paging: translateWork,
  });
}

function translateTurn(turn: Fields): Fields {
  const translated = translateParts(turn, {
    agenda: translateAgenda,
    ask: translateIntent,
    work: translateWork,
    verdict: translateVerdict,
    held: translateTurn,
    haltReason: translateFinish,
    error: (error) => ({
      ...error,
      kind: error['kind'] === 'repetition-loop' ? 'chanting' : error['kind'],
    }),
  });
  return rename(translated, { haltReason: 'why' });
}

const kindNames: Readonly<Record<string, string>> = {
  call: 'work',
  wait: 'waiting',
  text: 'talk',
  'repetition-loop': 'chant',
};

function translateObservation(observation: Fields): Fields {
  const kind = String(observation['kind']);
  return {
    ...rename(observation, { isOutputEmpty: 'mute', fingerprint: 'gist' }),
    kind: kindNames[kind] ?? kind,
  };
}

function translateWindows(windows: Fields): Fields {
  const translated = Object.entries(windows).map(([kind, observations]) => [
    kindNames[kind] ?? kind,
    translateList(observations, (observation) =>
      kind === 'wait'
        ? translateParts(rename(observation, { polls: 'looks' }), {
            first: translateObservation,
            last: translateObservation,
          })
        : translateObservation(observation),
    ),
  ]);
  return Object.fromEntries(translated) as Fields;
}

function translateGovernor(governor: Fields): Fields {
  const translated = translateParts(governor, {
    detector: (detector) => ({
      ...rename(translateParts(detector, { windows: translateWindows }), {
        windows: 'seen',
        reportedLoops: 'spoken',
      }),
      spoken: translateList(detector['reportedLoops'], ({ severity, ...reported }) => ({
        ...reported,
        level: translateSeverity(severity),
        rule: translateRule(reported['rule']),
        loop: translateRule(reported['loop']),
      })),
    }),
    tracker: (tracker) => translateParts(tracker, { state: translateTrackerState }),
  });
  const { detector, blockedCalls, ...rest } = translated;
  return {
    ...rest,
    watch: omitKeys(detector as Fields, ['reportedLoops']),
    refused: translateList(blockedCalls, (call) => ({
      ...rename(call, { requests: 'asked' }),
      rule: translateRule(call['rule']),
    })),
  };
}

function omitKeys(value: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function translateTrackerState(state: Fields): Fields {
  const translated = translateParts(state, {
    detector: (detector) =>
      rename(
        translateParts(detector, {
          machine: (machine) => rename(machine, { transitions: 'moves' }),
          pendingVerdict: translateVerdict,
          finish: (finish) => translateParts(finish, { verdict: translateVerdict }),
        }),
        { pendingVerdict: 'held' },
      ),
  });
  return rename(translated, { detector: 'mind', reportedLoops: 'raised' });
}
