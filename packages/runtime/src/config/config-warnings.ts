import { isReadable } from '../mcp/server-url.ts';
import { placeOf } from '../schema/explain.ts';
import { oneLine } from '../schema/one-line.ts';
import type { WrittenPath, WrittenText } from '../written-files/written-text.ts';
import type { Config } from './config.ts';
import { secretsIn } from './secrets.ts';

/** What is not wrong but dangerous, in one line each: where it is and what to do. */
export function warningsFor(path: string, { value, lineOf }: WrittenText, config: Config): readonly string[] {
  const at = (place: WrittenPath): string => {
    const line = lineOf(place);
    const where = line === null ? '' : `, line ${line}`;
    return `${JSON.stringify(path)}${where}: ${oneLine(placeOf(place), 120)}`;
  };
  return [
    ...secretsIn(value).map((place) => `${at(place)} ${looksLikeSecret(place)}`),
    ...readableHeaders(config).map(
      (place) => `${at(place)} are sent so that others can read them. Use https.`,
    ),
  ];
}

function looksLikeSecret(place: WrittenPath): string {
  const key = String(place.at(-1) ?? '');
  const name = /^[A-Z][A-Z0-9_]*$/.test(key) ? key : 'NAME';
  return `looks like a secret. Take it out of the file: write "\${${name}}" there, and set the environment variable ${name}.`;
}

function readableHeaders({ mcpServers = [] }: Config): readonly WrittenPath[] {
  return mcpServers.flatMap((server) =>
    'url' in server && server.headers !== undefined && isReadable(server.url)
      ? [['mcpServers', server.name, 'headers']]
      : [],
  );
}
