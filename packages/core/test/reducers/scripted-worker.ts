import {
  createSession,
  step,
  type Action,
  type FileEffect,
  type Json,
  type ToolOutcome,
  type RequestedCall,
  type Session,
  type SessionSettings,
  type Verdict,
  type SessionStep,
} from '../../src/index.ts';
import type { Rule } from '@pawl/governor';

/** A scripted model that requests one call per reply and receives its outcome. */
export class ScriptedWorker {
  session: Session;
  readonly verdicts: Verdict[] = [];
  last: SessionStep;
  readonly #rules: readonly Rule[] | undefined;
  #at = 0;

  constructor(settings: Partial<SessionSettings> = {}, rules?: readonly Rule[], logVersion?: number) {
    this.#rules = rules;
    this.session = createSession({
      id: 'worker',
      at: 0,
      settings,
      ...(logVersion !== undefined && { logVersion }),
    });
    this.last = this.take({ type: 'user-message', text: 'go' });
  }

  /** Asks for a call; runs it if it may run. */
  call(tool: string, args: Json, outcome: ToolOutcome | string, files?: readonly FileEffect[]): this {
    this.last = this.take({ type: 'model-replied', text: '', calls: [{ tool, args }] });
    const run = this.action('run-tools');
    const toolOutcome: ToolOutcome = typeof outcome === 'string' ? { ok: true, output: outcome } : outcome;
    for (const { id } of run?.calls ?? []) {
      this.last = this.take({
        type: 'tool-finished',
        callId: id,
        outcome: toolOutcome,
        ...(files && { files }),
      });
    }
    return this;
  }

  fails(tool: string, args: Json, message: string): this {
    return this.call(tool, args, { ok: false, error: { kind: 'failed', message } });
  }

  /** Several calls at once; none of them is run here. */
  asks(calls: readonly RequestedCall[]): this {
    this.last = this.take({ type: 'model-replied', text: '', calls });
    return this;
  }

  reply(text: string): this {
    this.last = this.take({ type: 'model-replied', text, calls: [] });
    return this;
  }

  hears(text: string): this {
    this.last = this.take({ type: 'user-message', text });
    return this;
  }

  /** Sends an automatic message, as a harness does. */
  receivesAutomaticMessage(): this {
    this.last = this.take({ type: 'user-message', text: 'Go on.', automatic: true });
    return this;
  }

  /** Time goes by. */
  waits(ms: number): this {
    this.#at += ms;
    return this;
  }

  action<Type extends Action['type']>(type: Type): Extract<Action, { type: Type }> | undefined {
    return this.last.actions.find((each): each is Extract<Action, { type: Type }> => each.type === type);
  }

  get reasons(): readonly string[] {
    return this.verdicts.map(({ rule, response }) => `${rule}: ${response.kind}`);
  }

  take(event: object): SessionStep {
    this.#at += 1_000;
    const result = step(this.session, { ...event, at: this.#at } as Parameters<typeof step>[1], this.#rules);
    for (const note of result.notes) if (note.type === 'verdict') this.verdicts.push(note.verdict);
    this.session = result.session;
    return result;
  }
}
