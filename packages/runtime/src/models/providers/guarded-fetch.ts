import { traceContext } from '../../trace-context.ts';

/** More came over the wire than one reply may take. Known by its code, whatever wraps it. */
class WireOverflow extends Error {
  override readonly name = 'WireOverflow';
  readonly code = 'WireOverflow';
}

/** A web page came in place of a reply. */
class NotAnApi extends Error {
  override readonly name = 'NotAnApi';
  readonly code = 'NotAnApi';
}

/**
 * `fetch` for providers. What an answer holds is counted after unpacking, so that a small answer cannot unpack to a huge
 * one. It goes where it was told to and nowhere else: an answer that points to another host would get the key.
 */
export function guardedFetch(bytesMax: number): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...traced(input, init), redirect: 'manual' });
    if (response.body === null) return response;
    if (response.ok && /^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body.cancel();
      throw new NotAnApi(`A web page came from ${addressOf(response)}.`);
    }
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted(bytesMax)), { status, statusText, headers });
  };
}

/** Where in a trace this is, for whoever answers; nothing where nobody traces. */
function traced(...[input, init]: Parameters<typeof fetch>): { readonly headers?: Headers } {
  const context = traceContext();
  if (context === undefined) return {};
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set('traceparent', context.traceparent);
  return { headers };
}

function counted(bytesMax: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = bytesMax;
  return new TransformStream({
    transform(piece, controller) {
      left -= piece.byteLength;
      if (left < 0) controller.error(new WireOverflow(`More than ${bytesMax} bytes came.`));
      else controller.enqueue(piece);
    },
  });
}

/** Where an answer came from, without what may be secret in an address. */
function addressOf({ url }: Response): string {
  if (url === '') return 'there';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
