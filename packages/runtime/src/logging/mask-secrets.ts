import { isSecretKey, secretNames, secretShapes } from '../config/secrets.ts';
import { redact } from '../models/providers/redact.ts';

export type Masking = {
  /** Texts that must never be seen, such as the keys in use. */
  readonly secrets?: readonly string[];
  /** How much of a text is kept; without it, all of it. */
  readonly textMax?: number;
};

const mark = '[secret]';

/** What is nested deeper is no data that anybody reads. */
const depthMax = 100;

/** The same value without secrets: what stands under a telling name, what looks like a key, and the texts given. */
export function maskSecrets(value: unknown, masking: Masking = {}): unknown {
  return masked(value, { masking, isUnderSecret: false, depth: 0 });
}

/** What an environment holds under telling names: the keys that a run works with. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value !== '' && isSecretKey(name) ? [value] : [],
  );
}

type Place = { readonly masking: Masking; readonly isUnderSecret: boolean; readonly depth: number };

function masked(value: unknown, place: Place): unknown {
  if (typeof value === 'string')
    return value !== '' && place.isUnderSecret ? mark : text(value, place.masking);
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth >= depthMax) return '[too deep]';
  const depth = place.depth + 1;
  if (Array.isArray(value)) return value.map((part) => masked(part, { ...place, depth }));
  const entries = Object.entries(value).map(([key, part]) => {
    const isUnderSecret = place.isUnderSecret || isSecretKey(key);
    return [text(key, place.masking), masked(part, { ...place, isUnderSecret, depth })];
  });
  return Object.fromEntries(entries);
}

/** Cut only when nothing is left to hide: half a key would no longer look like one. */
function text(whole: string, { secrets = [], textMax = Infinity }: Masking): string {
  const clean = redact(whole, secrets).replace(shapes, mark).replace(assigned, `$1${mark}`);
  return clean.length > textMax ? `${clean.slice(0, textMax)}…` : clean;
}

const shapes = new RegExp(secretShapes, 'g');

/** `password=…`, `"apiKey": "…"`: inside a command line, or inside JSON that is itself a text. */
const assigned = new RegExp(
  String.raw`(${secretNames}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?!\[(?:key|secret)\])(?:(?:basic|bearer)\s{1,3})?[^\s"'\\&,;]{3,}`,
  'gi',
);
