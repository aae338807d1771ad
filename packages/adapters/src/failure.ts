/** An error says that it is one at its beginning. */
const beginningMax = 300;

const beginnings =
  /^\s*(?:\[?(?:error|exception|failure|failed|fatal|uncaught)\b|an error (?:has )?occurred|\w{1,60}(?:error|exception)\b\s*:|traceback \(most recent call last\)|command failed|(?:process )?exit(?:ed)?(?: with)?(?: code| status)[: ]+[1-9]|\{\s*"error"\s*:\s*["{[])/i;

/** Whether a text reads like the message of a failure. For hosts that do not say which calls failed. */
export function readsLikeFailure(said: string): boolean {
  return beginnings.test(said.slice(0, beginningMax));
}
