import type { Json } from '../json.ts';
import type { Outcome } from './entry.ts';
import { hasFailed } from './exit-code.ts';
import { get, numberOf, stringOf, unpacked } from '../json-fields.ts';

/** How far into a text the lines about the command reach, before its output begins. */
const headMax = 500;

/**
 * Codex writes a command's exit code into its output: as JSON, or in lines above it. The time it took is there as well,
 * which would make each run of a command look different; what is left is the output alone.
 */
export function codexOutcome(result: Json | undefined, error: boolean | undefined): Outcome {
  if (typeof result !== 'string') return { result, error };
  const { exitCode, output } = asJson(result) ?? asText(result) ?? { exitCode: undefined, output: result };
  return { result: output, error: exitCode === undefined ? error : hasFailed(exitCode, output) };
}

type Told = { readonly exitCode: number | undefined; readonly output: string };

function asJson(text: string): Told | null {
  if (!text.startsWith('{')) return null;
  const value = unpacked(text);
  const exitCode = numberOf(get(value, 'metadata', 'exit_code'));
  const output = stringOf(get(value, 'output'));
  return exitCode === undefined || output === undefined ? null : { exitCode, output };
}

function asText(text: string): Told | null {
  const head = text.slice(0, headMax);
  const match = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(head);
  const begin = /^Output:(?:\n|$)/m.exec(head);
  if (begin === null || !/^(?:Exit code|Chunk ID|Wall time)/.test(head)) return null;
  if (match !== null && match.index > begin.index) return null;
  const output = text.slice(begin.index + begin[0].length);
  return { exitCode: match === null ? undefined : Number(match[1]), output };
}
