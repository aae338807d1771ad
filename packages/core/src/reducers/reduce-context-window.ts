import type { Event } from '../session/event.ts';
import { formatToolOutput } from '@pawl/governor';
import type { TurnState } from '../session/turn-state.ts';
import { calibrateEstimator, addTextTokens, type ContextWindow } from '../memory/estimate-tokens.ts';

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
