export { isOlderSession, upgradeEvent, upgradeSession, upgradeToolResult } from './session/upgrade.ts';
