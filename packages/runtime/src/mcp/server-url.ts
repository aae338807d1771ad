/** Returns why a server URL is invalid and how to fix it; null if it is valid. The text never contains the URL. */
export function findUrlProblem(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return 'has an invalid URL: only http:// and https:// are supported.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'has credentials in its URL. Use a header with an environment variable instead.';
  return null;
}

/** Whether traffic to this URL is unencrypted and leaves this machine. */
export function isPlaintextUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:') return false;
  return !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(parsed.hostname);
}
