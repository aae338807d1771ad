import { estimateCalibratedTokens, initialEstimator, type TokenEstimator } from './estimate-tokens.ts';

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

export function addTextTokens(window: ContextWindow, text: string): ContextWindow {
  return { ...window, tokens: window.tokens + estimateCalibratedTokens(window.estimator, text) };
}
