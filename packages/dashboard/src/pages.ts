/** The few pages that the server renders itself, without scripts. */

export const notBuiltPage: string = renderPage(
  'Not built',
  '<p>The dashboard pages are not built. In a Pawl checkout, build them with:</p><pre>npm run build -w packages/dashboard</pre><p>The HTTP API works without them; see <code>/api/v1/openapi.json</code>.</p>',
);

/** `failure` is the kind of login that failed, or null on the first attempt. */
export function renderLoginPage(failure: 'code' | 'token' | null): string {
  const failureTexts = {
    code: '<p role="alert">This link has been used already or has expired. Press Enter in the terminal of <code>pawl dashboard</code> to get a new one.</p>',
    token: '<p role="alert">Invalid token.</p>',
  };
  return renderPage(
    'Log in',
    `${failure === null ? '' : failureTexts[failure]}<p>Open the link that <code>pawl dashboard</code> printed, or enter the token from <code>PAWL_DASHBOARD_TOKEN</code>.</p><form method="post" action="/login"><label>Token <input type="password" name="token" autocomplete="off" required></label> <button>Log in</button></form>`,
  );
}

function renderPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Pawl: ${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>\n`;
}
