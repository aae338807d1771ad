export { upgradeChart } from './modes/define-chart.ts';
export { isOlderSession, upgradeEvent, upgradeSession, upgradeToolResult } from './session/upgrade.ts';
