export {
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
} from './upgrade.ts';
