import { isSecretKey, secretNameSource, secretPattern, redactSecrets } from '../data-files/secrets.ts';

export type MaskOptions = {
  /** Literal values to mask, such as the API keys in use. */
  readonly secrets?: readonly string[];
  /** Maximum length of each text; unlimited by default. */
  readonly textMax?: number;
};

const secretMask = '[secret]';

/** Limits the recursion; deeper values are replaced. */
const maskDepthMax = 100;

/** Masks secrets in a value: values under secret-like keys, texts that look like keys, and the given literals. */
export function maskSecrets(value: unknown, options: MaskOptions = {}): unknown {
  return maskValue(value, { options, isUnderSecret: false, depth: 0 });
}

/** Lists the values of environment variables whose names suggest a secret. */
export function listSecretValues(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value !== '' && isSecretKey(name) ? [value] : [],
  );
}

type MaskContext = { readonly options: MaskOptions; readonly isUnderSecret: boolean; readonly depth: number };

function maskValue(value: unknown, context: MaskContext): unknown {
  if (typeof value === 'string')
    return value !== '' && context.isUnderSecret ? secretMask : maskText(value, context.options);
  if (typeof value !== 'object' || value === null) return value;
  if (context.depth >= maskDepthMax) return '[too deep]';
  const depth = context.depth + 1;
  if (Array.isArray(value)) return value.map((part) => maskValue(part, { ...context, depth }));
  const entries = Object.entries(value).map(([key, part]) => {
    const isUnderSecret = context.isUnderSecret || isSecretKey(key);
    return [maskText(key, context.options), maskValue(part, { ...context, isUnderSecret, depth })];
  });
  return Object.fromEntries(entries);
}

/** Masks before truncating, because half a key would no longer be recognized. */
function maskText(text: string, { secrets = [], textMax = Infinity }: MaskOptions): string {
  const clean = redactSecrets(text, secrets)
    .replace(secretGlobalPattern, secretMask)
    .replace(assignedSecretPattern, `$1${secretMask}`);
  return clean.length > textMax ? `${clean.slice(0, textMax)}…` : clean;
}

const secretGlobalPattern = new RegExp(secretPattern, 'g');

/** Matches `password=…` and `"apiKey": "…"` inside command lines and inside JSON that is itself a string. */
const assignedSecretPattern = new RegExp(
  String.raw`(${secretNameSource}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?!\[(?:key|secret)\])(?:(?:basic|bearer)\s{1,3})?[^\s"'\\&,;]{3,}`,
  'gi',
);
