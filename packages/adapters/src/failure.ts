/** An error text identifies itself at its beginning. */
const failurePrefixMax = 300;

const failurePattern =
  /^\s*(?:\[?(?:error|exception|failure|failed|fatal|uncaught)\b|an error (?:has )?occurred|\w{1,60}(?:error|exception)\b\s*:|traceback \(most recent call last\)|command failed|(?:process )?exit(?:ed)?(?: with)?(?: code| status)[: ]+[1-9]|\{\s*"error"\s*:\s*["{[])/i;

/** Whether a text looks like an error message, for hosts that do not mark failed calls. */
export function looksLikeFailure(text: string): boolean {
  return failurePattern.test(text.slice(0, failurePrefixMax));
}
