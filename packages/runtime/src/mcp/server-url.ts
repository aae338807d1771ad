/** Returns why a server URL is invalid and how to fix it; null if it is valid. The text never contains the URL. */
export function findUrlProblem(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return 'has an address that is neither http:// nor https://. Correct its url.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'has a password in its address. Put it into a header that names an environment variable.';
  return null;
}

/** Whether traffic to this URL is unencrypted and leaves this machine. */
export function isPlaintextUrl(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:') return false;
  return !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(parsed.hostname);
}
