import type { Event } from '../event.ts';
import { textOf } from '../governor/observation.ts';
import type { Turn } from '../turn/state.ts';
import { correct, estimate, freshEstimator, type Estimator } from './estimate.ts';

/**
 * How full the model's window is, as far as can be told without its tokenizer: what the provider reported last, and
 * estimates of what has come since, which its reports keep correcting. Its cost does not depend on how much there is.
 */
export type ModelWindow = {
  readonly tokens: number;
  readonly estimator: Estimator;
  /** What was left when room was last made; until more has come, making room again would free nothing. */
  readonly leftByPaging: number;
};

export const emptyWindow: ModelWindow = { tokens: 0, estimator: freshEstimator, leftByPaging: 0 };

/** A window this full is too full to ask with: the reply needs room as well. */
const fullShare = 0.9;

/** The least that must have come since room was last made, as a share of the window. */
const worthPaging = 0.1;

export function isFull({ tokens, leftByPaging }: ModelWindow, windowTokens: number): boolean {
  return tokens >= windowTokens * fullShare && tokens - leftByPaging >= windowTokens * worthPaging;
}

/** Only what the turn is waiting for comes into the window. */
export function fill(window: ModelWindow, turn: Turn, event: Event): ModelWindow {
  switch (event.type) {
    case 'user-message':
      return turn.status === 'waitingForUser' ? fillWith(window, event.text) : window;
    case 'tool-finished': {
      if (turn.status !== 'executingTools') return window;
      const { outcome } = event;
      return fillWith(window, outcome.ok ? textOf(outcome.output) : outcome.error.message);
    }
    case 'model-replied':
      return turn.status === 'callingModel' ? withReply(window, event) : window;
    case 'paging-finished': {
      if (turn.status !== 'paging') return window;
      const tokens = Math.max(0, window.tokens - event.freedTokens);
      return { ...window, tokens, leftByPaging: tokens };
    }
    default:
      return window;
  }
}

function withReply(
  window: ModelWindow,
  { text, calls, usage }: Extract<Event, { type: 'model-replied' }>,
): ModelWindow {
  if (usage === undefined) {
    return fillWith(window, `${text}${calls.map(({ tool, args }) => tool + textOf(args)).join('')}`);
  }
  const { inputTokens, outputTokens } = usage;
  const estimator = correct(window.estimator, window.tokens, inputTokens);
  return { ...window, tokens: inputTokens + outputTokens, estimator };
}

export function fillWith(window: ModelWindow, text: string): ModelWindow {
  return { ...window, tokens: window.tokens + estimate(window.estimator, text) };
}
