import { isPlainObject } from '@pawl/governor/json';
import {
  renameKeys,
  upgradeEach,
  upgradeGovernorSettings,
  upgradeLadder,
  upgradeProperty,
  upgradeRequestedCall,
  upgradeRuleId,
  upgradeTrackerState,
  upgradeVerdict,
  type StoredObject,
} from '@pawl/governor/upgrade';
import type { Session } from './session.ts';
import { upgradeChart } from '../modes/define-chart.ts';

/*
 * Reads sessions and events that were written before 0.2.0, which used other names for the same things. Code that reads
 * stored JSON upgrades it first, after any check of its hash; `step` knows only the current names.
 */

/**
 * Returns a stored event with current names. Nothing is validated: a value that is not an event comes back as it is.
 */
export function upgradeEvent(value: unknown): unknown {
  return isPlainObject(value) ? upgradeStoredEvent(value) : value;
}

function upgradeStoredEvent(event: StoredObject): StoredObject {
  switch (event['type']) {
    case 'memory-asked':
      return { ...event, type: 'memory-command-requested' };
    case 'tool-finished':
      return Object.hasOwn(event, 'found') ? upgradeToolResult(event) : event;
    case 'model-failed':
      return upgradeProperty(event, 'error', upgradeModelError);
    case 'model-replied':
      return upgradeCalls(event);
    case 'recovery-finished':
      return upgradeProperty(event, 'outcome', upgradeCalls);
    case 'verdict-reached':
      return upgradeProperty(event, 'verdict', upgradeVerdict);
    default:
      return event;
  }
}

const resultNames = new Map([['found', 'foundEntries']]);

/** Upgrades the result of a tool, which a process may have stored before another one reads it. */
export function upgradeToolResult<Result extends StoredObject>(result: Result): Result {
  return Object.hasOwn(result, 'found') ? (renameKeys(result, resultNames) as Result) : result;
}

function upgradeModelError(error: StoredObject): StoredObject {
  return error['kind'] === 'chanting' ? { ...error, kind: 'repetition-loop' } : error;
}

function upgradeCalls(value: StoredObject): StoredObject {
  const { calls } = value;
  const isOld =
    Array.isArray(calls) && calls.some((call) => isPlainObject(call) && Object.hasOwn(call, 'because'));
  return isOld ? { ...value, calls: upgradeEach(calls, upgradeRequestedCall) } : value;
}

const sessionNames = new Map([
  ['spent', 'budgetUsage'],
  ['behaviour', 'logVersion'],
]);

/** Whether a stored session has the names of a release before 0.2.0, whose state hashes cannot be compared. */
export function isOlderSession(session: object): boolean {
  return Object.hasOwn(session, 'spent');
}

/** Returns a stored session with current names. Nothing else is validated. */
export function upgradeSession(value: object): Session {
  if (!isOlderSession(value)) return value as Session;
  let session = renameKeys(value as StoredObject, sessionNames);
  session = upgradeProperty(session, 'settings', upgradeSettings);
  session = upgradeProperty(session, 'turn', upgradeTurn);
  session = upgradeProperty(session, 'governor', upgradeGovernor);
  return session as unknown as Session;
}

function upgradeSettings(settings: StoredObject): StoredObject {
  const upgraded = upgradeProperty(settings, 'governor', upgradeGovernorSettings);
  return upgradeProperty(upgraded, 'chart', upgradeChart);
}

function upgradeGovernor(governor: StoredObject): object {
  return upgradeLadder(
    upgradeProperty(governor, 'tracker', (tracker) => upgradeProperty(tracker, 'state', upgradeTrackerState)),
  );
}

const haltedNames = new Map([['why', 'haltReason']]);

function upgradeTurn(turn: StoredObject): StoredObject {
  let upgraded = turn['status'] === 'halted' ? renameKeys(turn, haltedNames) : turn;
  upgraded = upgradeProperty(upgraded, 'haltReason', upgradeRuleReference);
  upgraded = upgradeProperty(upgraded, 'agenda', upgradeAgenda);
  upgraded = upgradeProperty(upgraded, 'ask', upgradeIntent);
  upgraded = upgradeProperty(upgraded, 'error', upgradeModelError);
  upgraded = upgradeProperty(upgraded, 'verdict', upgradeVerdict);
  upgraded = upgradeProperty(upgraded, 'work', upgradeWork);
  return upgradeProperty(upgraded, 'held', upgradeTurn);
}

/** The work of hooks or paging, or of a retry of either. */
function upgradeWork(work: StoredObject): StoredObject {
  let upgraded = upgradeProperty(work, 'agenda', upgradeAgenda);
  upgraded = upgradeProperty(upgraded, 'ask', upgradeIntent);
  upgraded = upgradeProperty(upgraded, 'hooks', upgradeWork);
  return upgradeProperty(upgraded, 'paging', upgradeWork);
}

function upgradeIntent(ask: StoredObject): StoredObject {
  return upgradeProperty(upgradeProperty(ask, 'agenda', upgradeAgenda), 'finish', upgradeRuleReference);
}

const agendaNames = new Map([['said', 'steering']]);

function upgradeAgenda(agenda: StoredObject): StoredObject {
  const renamed = upgradeProperty(renameKeys(agenda, agendaNames), 'verdict', upgradeVerdict);
  return upgradeProperty(renamed, 'finish', upgradeRuleReference);
}

function upgradeRuleReference(value: StoredObject): StoredObject {
  return { ...value, rule: upgradeRuleId(value['rule']) };
}
