import { getTraceContext } from '../../platform/trace-context.ts';

/** The response exceeds the size limit. Identified by its code, because libraries may wrap it. */
class WireOverflow extends Error {
  override readonly name = 'WireOverflow';
  readonly code = 'WireOverflow';
}

/** The server returned a web page instead of an API response. */
class NotAnApi extends Error {
  override readonly name = 'NotAnApi';
  readonly code = 'NotAnApi';
}

/**
 * Creates a `fetch` for providers. Limits the size of the decompressed body, which protects against decompression
 * bombs, and does not follow redirects, because another host would receive the API key.
 */
export function createGuardedFetch(bytesMax: number): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...buildTraceHeaders(input, init), redirect: 'manual' });
    if (response.body === null) return response;
    if (response.ok && /^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body.cancel();
      throw new NotAnApi(`Received a web page from ${formatResponseUrl(response)}.`);
    }
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(createByteLimiter(bytesMax)), {
      status,
      statusText,
      headers,
    });
  };
}

/** Adds the trace context as a header; nothing outside of a trace. */
function buildTraceHeaders(...[input, init]: Parameters<typeof fetch>): { readonly headers?: Headers } {
  const context = getTraceContext();
  if (context === undefined) return {};
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set('traceparent', context.traceparent);
  return { headers };
}

function createByteLimiter(
  bytesMax: number,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytesLeft = bytesMax;
  return new TransformStream({
    transform(chunk, controller) {
      bytesLeft -= chunk.byteLength;
      if (bytesLeft < 0) controller.error(new WireOverflow(`Received more than ${bytesMax} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

/** Returns the response's URL without its query, which may contain secrets. */
function formatResponseUrl({ url }: Response): string {
  if (url === '') return 'the server';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
