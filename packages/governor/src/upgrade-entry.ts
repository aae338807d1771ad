export {
  renameKeys,
  upgradeEach,
  upgradeGovernorSettings,
  upgradeLadder,
  upgradeProperty,
  upgradeRequestedCall,
  upgradeRuleId,
  upgradeVerdict,
  type StoredObject,
} from './verdicts/upgrade.ts';
export { upgradeTrackerState } from './tracker/upgrade-tracker-state.ts';
