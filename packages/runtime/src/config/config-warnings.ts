import { isPlaintextUrl } from '../mcp/server-url.ts';
import { formatIssuePath } from '../schema/explain.ts';
import { toPrintableLine } from '../schema/one-line.ts';
import type { DataPath, ParsedDataFile } from '../data-files/parse-data-file.ts';
import type { Config } from './config.ts';
import { findSecrets } from './secrets.ts';

/** Lists valid but dangerous settings, one line each with the location and the fix. */
export function listConfigWarnings(
  path: string,
  { value, findLine }: ParsedDataFile,
  config: Config,
): readonly string[] {
  const formatLocation = (keyPath: DataPath): string => {
    const line = findLine(keyPath);
    const lineText = line === null ? '' : `, line ${line}`;
    return `${JSON.stringify(path)}${lineText}: ${toPrintableLine(formatIssuePath(keyPath), 120)}`;
  };
  return [
    ...findSecrets(value).map((keyPath) => `${formatLocation(keyPath)} ${formatSecretWarning(keyPath)}`),
    ...findPlaintextHeaders(config).map(
      (keyPath) => `${formatLocation(keyPath)} are sent unencrypted. Use https.`,
    ),
  ];
}

function formatSecretWarning(keyPath: DataPath): string {
  const key = String(keyPath.at(-1) ?? '');
  const name = /^[A-Z][A-Z0-9_]*$/.test(key) ? key : 'NAME';
  return `looks like a secret. Replace it with "\${${name}}" and set the environment variable ${name}.`;
}

function findPlaintextHeaders({ mcpServers = [] }: Config): readonly DataPath[] {
  return mcpServers.flatMap((server) =>
    'url' in server && server.headers !== undefined && isPlaintextUrl(server.url)
      ? [['mcpServers', server.name, 'headers']]
      : [],
  );
}
