export {
  createBubblewrapSandbox,
  type BubblewrapOptions,
  SandboxError,
  type SandboxErrorCode,
} from './sandbox/bubblewrap.ts';

export { passthroughSandbox } from './sandbox/command-sandbox.ts';
export type { CommandSandbox, SandboxLaunch, SandboxPolicy } from './sandbox/command-sandbox.ts';
export { detectSandbox } from './sandbox/detect-sandbox.ts';
export type { DetectSandboxOptions, DetectedSandbox } from './sandbox/detect-sandbox.ts';
export {
  scrubEnvironment,
  runCommand,
  type CommandResult,
  type RunCommandOptions,
} from './sandbox/run-command.ts';
