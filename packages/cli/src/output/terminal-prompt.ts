import type { WriteStream } from 'node:tty';
import { createInterface } from 'node:readline/promises';
import type { PermissionPrompter, ReviewedChange } from '@pawl/runtime/permission';
import type { UserPrompter } from '@pawl/runtime/tools';
import type { CommandIo } from './command-io.ts';
import { sanitizeOneLine } from './sanitize-text.ts';

/** Asks a user at a terminal. Null if there is no terminal: nothing is asked, and the answer is no. */
export type TerminalPrompt = {
  /** Resolves to the typed line, or null if the question was cancelled or the terminal is gone. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
};

export function openTerminalPrompt({ stdin, stderr }: CommandIo): TerminalPrompt | null {
  if (!isTerminalStream(stdin) || !isTerminalStream(stderr)) return null;
  return {
    async ask(question, signal = new AbortController().signal) {
      const line = createInterface({ input: stdin, output: stderr });
      try {
        return await line.question(question, { signal });
      } catch {
        // Cancelled, possibly because another process answered: start the next output on a new line.
        if (signal.aborted) stderr.write('\n');
        return null;
      } finally {
        line.close();
      }
    },
  };
}

export function isTerminalStream(stream: object): stream is WriteStream {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** Returns whether single keys can be read and the terminal can be drawn on. */
export function hasKeyboard(io: CommandIo): boolean {
  return openTerminalPrompt(io) !== null && 'setRawMode' in io.stdin && process.env['TERM'] !== 'dumb';
}

/** Returns whether the answer is yes; anything else is no. */
export async function askConfirmation(terminal: TerminalPrompt | null, question: string): Promise<boolean> {
  const answer = (await terminal?.ask(`${question} [y/N] `)) ?? '';
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Shows a tool call in full and asks for permission: yes, no, or always. */
export function createPermissionAsker(terminal: TerminalPrompt | null): PermissionPrompter {
  if (terminal === null) return null;
  return async ({ call, change, reason, always }, signal) => {
    const { describeCall } = await import('@pawl/runtime/permission');
    const callText =
      change === null ? describeCall(call).lines.join('\n') : await describeReviewedChange(call.tool, change);
    const more = always === null ? '' : `  a = always: ${sanitizeOneLine(always)}\n`;
    const answer = await terminal.ask(
      `\n${callText}\n  ${sanitizeOneLine(reason)}\n${more}Run it? [y/N${always === null ? '' : '/a'}] `,
      signal,
    );
    const reply = (answer ?? '').trim().toLowerCase();
    if (reply === 'a' && always !== null) return { decision: 'allow', always: true };
    return reply === 'y' || reply === 'yes'
      ? { decision: 'allow' }
      : { decision: 'deny', reason: 'the user declined' };
  };
}

/** A change to a file as a diff with line numbers. */
async function describeReviewedChange(tool: string, change: ReviewedChange): Promise<string> {
  const { revealHiddenCharacters } = await import('@pawl/runtime/permission');
  const { describeFileChange, formatDiffGutter, parseDiffLines } = await import('./diff-lines.ts');
  const lines = parseDiffLines(change.diff).map(
    (line) => formatDiffGutter(line) + revealHiddenCharacters(line.text),
  );
  const title = `${tool} ${revealHiddenCharacters(change.path)} (${describeFileChange(change)})`;
  return [title, ...lines].join('\n');
}

/** Asks the user a question of the model. */
export function createUserAsker(terminal: TerminalPrompt | null): UserPrompter {
  if (terminal === null) return null;
  return ({ question, options }, signal) => {
    const choices = options.map((option, index) => `  ${index + 1}. ${sanitizeOneLine(option)}\n`).join('');
    return terminal.ask(`\n${sanitizeOneLine(question)}\n${choices}> `, signal);
  };
}
