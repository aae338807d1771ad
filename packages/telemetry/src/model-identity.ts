/** A model by its OpenTelemetry attributes: provider and model name. */
export type ModelIdentity = { readonly provider: string; readonly model: string };

/**
 * Parses a name such as `anthropic:MODEL`. A name without a provider is a built-in model, such as the librarian or a
 * script.
 */
export function parseModelIdentity(name: string): ModelIdentity {
  const at = name.indexOf(':');
  if (at < 1) return { provider: 'pawl', model: name };
  const kind = name.slice(0, at);
  return { provider: kind === 'google' ? 'gcp.gemini' : kind, model: name.slice(at + 1) };
}
