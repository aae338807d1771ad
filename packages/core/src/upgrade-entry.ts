export { isOlderSession, upgradeEvent, upgradeSession, upgradeToolResult } from './upgrade.ts';
