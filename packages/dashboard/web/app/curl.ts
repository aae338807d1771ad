import { api } from './api.ts';

/** A command line that asks the same of the server. The token is not in it: it comes from the environment. */
export function curlFor(path: string, body?: object): string {
  const address = quoted(api.address(path));
  const key = '-H "Authorization: Bearer $PAWL_DASHBOARD_TOKEN"';
  if (body === undefined) return `curl -s ${key} ${address}`;
  const json = quoted(JSON.stringify(body));
  return `curl -s -X POST ${key} -H 'X-Pawl: 1' -H 'Content-Type: application/json' -d ${json} ${address}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
