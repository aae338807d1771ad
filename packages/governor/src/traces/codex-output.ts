import { getJsonPath, toOptionalNumber, toOptionalString, parseNestedJson, type Json } from '../json/json.ts';
import type { TraceOutcome } from './trace-format.ts';

/** Maximum length of the header lines before a command's output. */
const codexHeadMax = 500;

/**
 * Codex writes a command's exit code into its output, as JSON or as header lines. The header also has the duration,
 * which would make every run of a command look different, so only the output itself is returned.
 */
export function parseCodexOutcome(result: Json | undefined, error: boolean | undefined): TraceOutcome {
  if (typeof result !== 'string') return { result, error };
  const { exitCode, output } = parseCodexJsonOutput(result) ??
    parseCodexTextOutput(result) ?? { exitCode: undefined, output: result };
  return { result: output, error: exitCode === undefined ? error : hasCommandFailed(exitCode, output) };
}

type CodexOutput = { readonly exitCode: number | undefined; readonly output: string };

function parseCodexJsonOutput(text: string): CodexOutput | null {
  if (!text.startsWith('{')) return null;
  const value = parseNestedJson(text);
  const exitCode = toOptionalNumber(getJsonPath(value, 'metadata', 'exit_code'));
  const output = toOptionalString(getJsonPath(value, 'output'));
  return exitCode === undefined || output === undefined ? null : { exitCode, output };
}

function parseCodexTextOutput(text: string): CodexOutput | null {
  const head = text.slice(0, codexHeadMax);
  const match = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(head);
  const heading = /^Output:(?:\n|$)/m.exec(head);
  if (heading === null || !/^(?:Exit code|Chunk ID|Wall time)/.test(head)) return null;
  if (match !== null && match.index > heading.index) return null;
  const output = text.slice(heading.index + heading[0].length);
  return { exitCode: match === null ? undefined : Number(match[1]), output };
}

/**
 * Whether a command failed, by its exit code. Exit code 1 without output is a negative answer and not a failure, as
 * with grep and diff.
 */
export function hasCommandFailed(exitCode: number, output: string): boolean {
  return exitCode !== 0 && !(exitCode === 1 && output.trim() === '');
}
