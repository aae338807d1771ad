import type { Event } from '../event.ts';
import { formatToolOutput } from '@pawl/governor';
import type { TurnState } from '../turn/state.ts';
import {
  calibrateEstimator,
  estimateCalibratedTokens,
  initialEstimator,
  type TokenEstimator,
} from './estimate-tokens.ts';

/**
 * How full the model's context window is, estimated without its tokenizer: the last count the provider reported, plus
 * estimates of what has been added since, which its reports calibrate. The cost does not depend on the size of the
 * conversation.
 */
export type ContextWindow = {
  readonly tokens: number;
  readonly estimator: TokenEstimator;
  /** Tokens left after the last paging; until more has been added, paging again would free nothing. */
  readonly leftByPaging: number;
};

export const emptyContextWindow: ContextWindow = { tokens: 0, estimator: initialEstimator, leftByPaging: 0 };

/** Above this share the window is too full for a model call, because the reply needs room as well. */
const fullWindowShare = 0.9;

/** Minimum growth since the last paging, as a share of the window. */
const pagingShareMin = 0.1;

export function isWindowFull({ tokens, leftByPaging }: ContextWindow, windowTokens: number): boolean {
  return tokens >= windowTokens * fullWindowShare && tokens - leftByPaging >= windowTokens * pagingShareMin;
}

/** Counts only events the turn is waiting for. */
export function updateContextWindow(window: ContextWindow, turn: TurnState, event: Event): ContextWindow {
  switch (event.type) {
    case 'user-message':
      return turn.status === 'waitingForUser' ? addTextTokens(window, event.text) : window;
    case 'tool-finished': {
      if (turn.status !== 'executingTools') return window;
      const { outcome } = event;
      return addTextTokens(window, outcome.ok ? formatToolOutput(outcome.output) : outcome.error.message);
    }
    case 'model-replied':
      return turn.status === 'callingModel' ? addReplyTokens(window, event) : window;
    case 'paging-finished': {
      if (turn.status !== 'paging') return window;
      const tokens = Math.max(0, window.tokens - event.freedTokens);
      return { ...window, tokens, leftByPaging: tokens };
    }
    default:
      return window;
  }
}

function addReplyTokens(
  window: ContextWindow,
  { text, calls, usage }: Extract<Event, { type: 'model-replied' }>,
): ContextWindow {
  if (usage === undefined) {
    return addTextTokens(
      window,
      `${text}${calls.map(({ tool, args }) => tool + formatToolOutput(args)).join('')}`,
    );
  }
  const { inputTokens, outputTokens } = usage;
  const estimator = calibrateEstimator(window.estimator, window.tokens, inputTokens);
  return { ...window, tokens: inputTokens + outputTokens, estimator };
}

export function addTextTokens(window: ContextWindow, text: string): ContextWindow {
  return { ...window, tokens: window.tokens + estimateCalibratedTokens(window.estimator, text) };
}
