export { auditRun } from './audit.ts';
export type { AuditSeverity, AuditVerdict } from './audit.ts';
export { auditWithPreset } from './tracker/audit-with-preset.ts';
