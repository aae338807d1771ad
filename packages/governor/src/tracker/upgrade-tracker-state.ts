import {
  kindNames,
  renameKeys,
  upgradeEach,
  upgradeObservation,
  upgradeProperty,
  upgradeRuleChanges,
  upgradeVerdict,
  upgradeWindows,
  type StoredObject,
} from '../verdicts/upgrade.ts';
import type { TrackerState } from './track-record.ts';

const trackerNames = new Map([
  ['mind', 'detector'],
  ['raised', 'reportedLoops'],
]);
const trackerDetectorNames = new Map([
  ['begun', 'startedCalls'],
  ['seen', 'windows'],
  ['standing', 'activeVerdicts'],
  ['held', 'pendingVerdict'],
]);
const machineNames = new Map([['moves', 'transitions']]);

/** Upgrades a tracker state that was stored before 0.2.0; see `verdicts/upgrade.ts`. */
export function upgradeTrackerState(state: StoredObject): TrackerState {
  if (!Object.hasOwn(state, 'mind')) return state as unknown as TrackerState;
  const renamed = upgradeProperty(renameKeys(state, trackerNames), 'detector', upgradeTrackerDetector);
  const loops = renamed['reportedLoops'];
  const reportedLoops = Array.isArray(loops) ? loops.map(upgradeReportedLoop) : loops;
  return { ...renamed, reportedLoops } as unknown as TrackerState;
}

/** The pawl preset names a loop by its severity, its rule and what repeats. */
function upgradeReportedLoop(loop: unknown): unknown {
  return typeof loop === 'string'
    ? loop.replace(/^suspect /, 'warning ').replace(/^(warning|stuck) chanting /, '$1 repetition-loop ')
    : loop;
}

function upgradeTrackerDetector(detector: StoredObject): StoredObject {
  let upgraded = renameKeys(detector, trackerDetectorNames);
  upgraded = upgradeProperty(upgraded, 'config', (config) =>
    upgradeProperty(config, 'rules', upgradeRuleChanges),
  );
  upgraded = upgradeProperty(upgraded, 'machine', (machine) => renameKeys(machine, machineNames));
  upgraded = upgradeProperty(upgraded, 'windows', upgradeWindows);
  upgraded = upgradeProperty(upgraded, 'pendingVerdict', upgradeVerdict);
  upgraded = upgradeProperty(upgraded, 'finish', (finish) =>
    upgradeProperty(finish, 'verdict', upgradeVerdict),
  );
  return {
    ...upgraded,
    ...(upgraded['startedCalls'] !== undefined && {
      startedCalls: upgradeEach(upgraded['startedCalls'], (call) =>
        upgradeProperty(call, 'observation', upgradeObservation),
      ),
    }),
    ...(upgraded['activeVerdicts'] !== undefined && {
      activeVerdicts: upgradeEach(upgraded['activeVerdicts'], (active) =>
        upgradeProperty(
          { ...active, kind: kindNames.get(String(active['kind'])) ?? active['kind'] },
          'verdict',
          upgradeVerdict,
        ),
      ),
    }),
  };
}
