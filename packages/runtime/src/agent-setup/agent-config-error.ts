/** A field of an agent's configuration has no usable value. The one-line message gives the problem and the fix. */
export class AgentConfigError extends Error {
  override readonly name = 'AgentConfigError';
}
