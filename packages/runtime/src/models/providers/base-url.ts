import { ModelSpecError } from './known-providers.ts';

/**
 * Parses a base URL and removes trailing slashes. A URL without a path gets the provider's default path. Error messages
 * never contain the URL, because it may contain a password.
 */
export function parseBaseUrl(
  text: string,
  { source, path }: { readonly source: string; readonly path: string },
): string {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const example = `http://127.0.0.1:11434${path}`;
    throw new ModelSpecError('bad-base-url', `${source} must be a URL such as ${example}.`);
  }
  if (url.username !== '' || url.password !== '') {
    const message = `${source} contains a user name or a password, which is not sent. Set the API key in the environment instead.`;
    throw new ModelSpecError('bad-base-url', message);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ModelSpecError(
      'bad-base-url',
      `${source} must not contain a query or a fragment. Remove ? or # and what follows.`,
    );
  }
  const ownPath = url.pathname.replace(/\/{1,9}$/, '');
  return `${url.origin}${ownPath === '' ? path : ownPath}`;
}
