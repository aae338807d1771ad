import { createInterface } from 'node:readline/promises';
import { describeCall, type AskPermission, type AskUser } from '@pawl/runtime';
import type { Io } from './io.ts';
import { visibleLine } from './visible.ts';

/** Somebody at a terminal. Null where there is none: then nobody is asked, and the answer is no. */
export type Terminal = {
  /** Resolves to what was typed, or null when the question was called off or the terminal is gone. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
};

export function terminalOf({ stdin, stderr }: Io): Terminal | null {
  if (!isTerminal(stdin) || !isTerminal(stderr)) return null;
  return {
    async ask(question, signal = new AbortController().signal) {
      const line = createInterface({ input: stdin, output: stderr });
      try {
        return await line.question(question, { signal });
      } catch {
        // Called off, perhaps because somebody else has answered: what comes next begins a line.
        if (signal.aborted) stderr.write('\n');
        return null;
      } finally {
        line.close();
      }
    },
  };
}

export function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** Whether there is somebody whose keys can be read one by one, and a terminal that can be drawn on. */
export function hasKeys(io: Io): boolean {
  return terminalOf(io) !== null && 'setRawMode' in io.stdin && process.env['TERM'] !== 'dumb';
}

/** Whether the answer is yes. Anything else is no. */
export async function confirms(terminal: Terminal | null, question: string): Promise<boolean> {
  const answer = (await terminal?.ask(`${question} [y/N] `)) ?? '';
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Shows a call in full and asks about it: yes, no, or always for this. */
export function permissionAt(terminal: Terminal | null): AskPermission {
  if (terminal === null) return null;
  return async ({ call, why, always }, signal) => {
    const shown = describeCall(call).lines.join('\n');
    const more = always === null ? '' : `  a = always: ${visibleLine(always)}\n`;
    const answer = await terminal.ask(
      `\n${shown}\n  ${visibleLine(why)}\n${more}Run it? [y/N${always === null ? '' : '/a'}] `,
      signal,
    );
    const said = (answer ?? '').trim().toLowerCase();
    if (said === 'a' && always !== null) return { decision: 'allow', always: true };
    return said === 'y' || said === 'yes'
      ? { decision: 'allow' }
      : { decision: 'deny', reason: 'the user said no' };
  };
}

/** Puts a question of the model's to the user. */
export function questionAt(terminal: Terminal | null): AskUser {
  if (terminal === null) return null;
  return ({ question, options }, signal) => {
    const choices = options.map((option, index) => `  ${index + 1}. ${visibleLine(option)}\n`).join('');
    return terminal.ask(`\n${visibleLine(question)}\n${choices}> `, signal);
  };
}
