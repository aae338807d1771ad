import type { RequestedCall } from '../observations/call-ids.ts';
import { isPlainObject } from '../json/config-field.ts';
import type { GovernorSettings } from '../rules/governor-settings.ts';
import type { LadderState } from './ladder.ts';
import type { Verdict } from './verdict.ts';

/*
 * Sessions, events, snapshots and settings that were written before 0.2.0 use other names for the same things. They are
 * upgraded where they are read; the rest of the code knows only the current names. What is written today passes through
 * unchanged.
 */

/** Stored JSON whose names may be old. */
export type StoredObject = { readonly [key: string]: unknown };

/** Renames keys, and keeps their order and values. */
export function renameKeys(value: StoredObject, names: ReadonlyMap<string, string>): StoredObject {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [names.get(key) ?? key, each]));
}

/** Upgrades each object of a list; anything else stays as it is, for the validation that follows. */
export function upgradeEach(value: unknown, upgrade: (item: StoredObject) => unknown): unknown {
  return Array.isArray(value) ? value.map((item) => (isPlainObject(item) ? upgrade(item) : item)) : value;
}

/** Upgrades a property if it is an object. */
export function upgradeProperty(
  value: StoredObject,
  key: string,
  upgrade: (item: StoredObject) => unknown,
): StoredObject {
  const part = value[key];
  return isPlainObject(part) ? { ...value, [key]: upgrade(part) } : value;
}

/** The current name of a rule. */
export function upgradeRuleId(id: unknown): unknown {
  return id === 'chanting' ? 'repetition-loop' : id;
}

/** The current name of a severity, of a threshold and of a verdict's response. */
function upgradeSeverity(name: unknown): unknown {
  if (name === 'refuse') return 'block';
  return name === 'finish' ? 'stop' : name;
}

const thresholdNames = new Map([
  ['refuse', 'block'],
  ['finish', 'stop'],
]);

/** Upgrades rule overrides. An old name next to the current one stays, so that validation reports it. */
export function upgradeRuleChanges(rules: StoredObject): StoredObject {
  const entries = Object.entries(rules).map(([id, change]) => {
    const name = upgradeRuleId(id) as string;
    return [
      name !== id && Object.hasOwn(rules, name) ? id : name,
      isPlainObject(change) ? upgradeThresholds(change) : change,
    ];
  });
  return Object.fromEntries(entries) as StoredObject;
}

function upgradeThresholds(thresholds: StoredObject): StoredObject {
  const isAmbiguous = [...thresholdNames].some(
    ([old, current]) => Object.hasOwn(thresholds, old) && Object.hasOwn(thresholds, current),
  );
  return isAmbiguous ? thresholds : renameKeys(thresholds, thresholdNames);
}

function upgradeRecovery(recovery: StoredObject): StoredObject {
  return upgradeProperty(recovery, 'remedy', (remedy) => ({ ...remedy, do: upgradeSeverity(remedy['do']) }));
}

export function upgradeGovernorSettings(settings: StoredObject): GovernorSettings {
  const changed = upgradeProperty(settings, 'rules', upgradeRuleChanges);
  return (
    changed['recoveries'] === undefined
      ? changed
      : { ...changed, recoveries: upgradeEach(changed['recoveries'], upgradeRecovery) }
  ) as GovernorSettings;
}

const callNames = new Map([['because', 'denialReason']]);

export function upgradeRequestedCall(call: StoredObject): RequestedCall {
  return renameKeys(call, callNames) as RequestedCall;
}

const verdictNames = new Map([['level', 'severity']]);

export function upgradeVerdict(verdict: StoredObject): Verdict {
  if (!Object.hasOwn(verdict, 'level')) return verdict as Verdict;
  const response = isPlainObject(verdict['response']) ? upgradeResponse(verdict['response']) : undefined;
  const severity = verdict['level'] === 'suspect' ? 'advise' : inferSeverity(response);
  return {
    ...renameKeys(verdict, verdictNames),
    severity,
    rule: upgradeRuleId(verdict['rule']),
    ...(response !== undefined && { response }),
  } as Verdict;
}

function upgradeResponse(response: StoredObject): StoredObject {
  const upgraded = { ...response, kind: upgradeSeverity(response['kind']) };
  return response['calls'] === undefined
    ? upgraded
    : { ...upgraded, calls: upgradeEach(response['calls'], upgradeRequestedCall) };
}

/**
 * A stuck verdict had no severity of its own. A rule that blocks a call may run a remedy or wait instead; a recovery
 * without a delay is the response of a tracker, whose stuck verdicts all stop the work.
 */
function inferSeverity(response: StoredObject | undefined): Verdict['severity'] {
  if (response?.['kind'] === 'ask') return 'ask';
  const isDelay = response?.['kind'] === 'recover' && response['waitMs'] !== undefined;
  return isDelay || response?.['kind'] === 'block' || response?.['kind'] === 'run' ? 'block' : 'stop';
}

const ladderNames = new Map([
  ['watch', 'detector'],
  ['refused', 'blockedCalls'],
]);
const detectorNames = new Map([
  ['seen', 'windows'],
  ['spoken', 'reportedLoops'],
]);
const blockedCallNames = new Map([['asked', 'requests']]);

export function upgradeLadder(ladder: StoredObject): LadderState {
  if (!Object.hasOwn(ladder, 'watch')) return ladder as LadderState;
  const renamed = renameKeys(ladder, ladderNames);
  const upgraded = upgradeProperty(renamed, 'detector', upgradeDetector);
  const blockedCalls = upgradeEach(renamed['blockedCalls'], (call) => ({
    ...renameKeys(call, blockedCallNames),
    rule: upgradeRuleId(call['rule']),
  }));
  return { ...upgraded, blockedCalls } as unknown as LadderState;
}

function upgradeDetector(detector: StoredObject): StoredObject {
  const renamed = renameKeys(detector, detectorNames);
  const reportedLoops = upgradeEach(renamed['reportedLoops'], (reported) => ({
    ...renameKeys(reported, verdictNames),
    rule: upgradeRuleId(reported['rule']),
    loop: upgradeRuleId(reported['loop']),
    severity: upgradeSeverity(reported['level']),
  }));
  return { ...upgradeProperty(renamed, 'windows', upgradeWindows), reportedLoops };
}

export const kindNames = new Map([
  ['work', 'call'],
  ['waiting', 'wait'],
  ['talk', 'text'],
  ['chant', 'repetition-loop'],
]);
const observationNames = new Map([
  ['mute', 'isOutputEmpty'],
  ['gist', 'fingerprint'],
]);
const waitNames = new Map([['looks', 'polls']]);

export function upgradeWindows(windows: StoredObject): StoredObject {
  const renamed = renameKeys(windows, kindNames);
  const upgraded = Object.entries(renamed).map(([kind, observations]) => [
    kind,
    upgradeEach(observations, kind === 'wait' ? upgradeWait : upgradeObservation),
  ]);
  return Object.fromEntries(upgraded) as StoredObject;
}

function upgradeWait(wait: StoredObject): StoredObject {
  const renamed = renameKeys(wait, waitNames);
  return upgradeProperty(upgradeProperty(renamed, 'first', upgradeObservation), 'last', upgradeObservation);
}

export function upgradeObservation(observation: StoredObject): StoredObject {
  const { kind } = observation;
  const renamed = renameKeys(observation, observationNames);
  return typeof kind === 'string' ? { ...renamed, kind: kindNames.get(kind) ?? kind } : renamed;
}
