export { auditRun, observeRecordedCall } from './audit/audit.ts';
export type { AuditVerdict } from './audit/audit.ts';
export { auditWithPreset } from './audit/audit-with-preset.ts';
