import { apiClient } from './api.ts';

/** Builds a curl command for the same request. It reads the token from the environment instead of containing it. */
export function buildCurlCommand(path: string, body?: object): string {
  const address = quoteCurlArgument(apiClient.address(path));
  const key = '-H "Authorization: Bearer $PAWL_DASHBOARD_TOKEN"';
  if (body === undefined) return `curl -s ${key} ${address}`;
  const json = quoteCurlArgument(JSON.stringify(body));
  return `curl -s -X POST ${key} -H 'X-Pawl: 1' -H 'Content-Type: application/json' -d ${json} ${address}`;
}

function quoteCurlArgument(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
