/** The few pages that the server renders itself, without scripts. */

export const notBuiltPage: string = renderPage(
  'Not built yet',
  '<p>The pages of the dashboard are not built. In a checkout of Pawl, build them with:</p><pre>npm run build -w packages/dashboard</pre><p>The HTTP API works without them: see <code>/api/v1/openapi.json</code>.</p>',
);

/** `failure` is the kind of login that failed, or null on the first attempt. */
export function renderLoginPage(failure: 'code' | 'token' | null): string {
  const failed = {
    code: '<p role="alert">This link has been used already, or is too old. Press Enter where <code>pawl dashboard</code> runs to get a new one.</p>',
    token: '<p role="alert">This is not the token.</p>',
  };
  return renderPage(
    'Log in',
    `${failure === null ? '' : failed[failure]}<p>Open the link that <code>pawl dashboard</code> has printed, or give the token in <code>PAWL_DASHBOARD_TOKEN</code>.</p><form method="post" action="/login"><label>Token <input type="password" name="token" autocomplete="off" required></label> <button>Log in</button></form>`,
  );
}

function renderPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Pawl: ${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>\n`;
}
