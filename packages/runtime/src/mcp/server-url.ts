/** Why an address cannot be that of a server, and what to do; null if it can. The address itself is not repeated. */
export function urlProblem(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return 'has an address that is neither http:// nor https://. Correct its url.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'has a password in its address. Put it into a header that names an environment variable.';
  return null;
}

/** Whether what is sent there can be read on the way. */
export function isReadable(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:') return false;
  return !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(parsed.hostname);
}
