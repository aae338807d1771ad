import { dirname, join } from 'node:path';
import { isPawlCommand } from './hook-entries.ts';

/** The files that Cline runs around each call, named after the event. The first stands for the installation. */
export function listClineHookFiles(path: string, platform: NodeJS.Platform): readonly string[] {
  return [path, join(dirname(path), getClineHookName('PostToolUse', platform))];
}

export function getClineHookName(event: 'PreToolUse' | 'PostToolUse', platform: NodeJS.Platform): string {
  return platform === 'win32' ? `${event}.ps1` : `${event}.sh`;
}

/** Renders a script that runs the hook; Cline runs it by its extension, in sh or in PowerShell. */
export function renderClineHook(command: string, platform: NodeJS.Platform): string {
  const note = '# Installed by pawl hook install cline. To remove it: pawl hook remove cline';
  return platform === 'win32'
    ? `${note}\n$input | ${command}\nexit $LASTEXITCODE\n`
    : `#!/bin/sh\n${note}\nexec ${command}\n`;
}

/** Returns the command of a script that `renderClineHook` rendered; null if the file is not ours. */
export function findClineCommand(text: string): string | null {
  const command = /^(?:exec|\$input \|) (.+)$/m.exec(text)?.[1] ?? '';
  return isPawlCommand(command, 'cline') ? command : null;
}
