/** A model by the names that OpenTelemetry knows: who serves it, and which it is. */
export type ModelNames = { readonly provider: string; readonly model: string };

/** From a name such as `anthropic:MODEL`. What has no provider in front of it is served by us: the librarian, a script. */
export function modelNames(name: string): ModelNames {
  const at = name.indexOf(':');
  if (at < 1) return { provider: 'pawl', model: name };
  const kind = name.slice(0, at);
  return { provider: kind === 'google' ? 'gcp.gemini' : kind, model: name.slice(at + 1) };
}
