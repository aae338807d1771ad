import { importQuerySchema, importResultSchema } from '../api/imports.ts';
import { bodyLimits, readBodyBytes, parseQuery } from '../http/request-input.ts';
import { readUpload, type UploadItem } from '../imports/read-upload.ts';
import type { SecretMask } from '../http/json-response.ts';
import type { ApiRoute } from './route.ts';

export const importRoutes: readonly ApiRoute[] = [
  {
    method: 'post',
    path: '/imports',
    name: 'importRuns',
    summary:
      'Import recorded runs of any agent in a format that pawl audit supports, or a session from pawl export. The runs are audited and returned as sessions; nothing is stored.',
    query: importQuerySchema,
    body: { type: 'application/octet-stream' },
    responses: {
      200: { description: 'The imported runs and the problems found.', schema: importResultSchema },
    },
    async handle(context, { mask, now }) {
      const { name } = parseQuery(context, importQuerySchema);
      const bytes = await readBodyBytes(context, bodyLimits.importBytes);
      const chunks = streamImportJson(readUpload(bytes, { name, now: now() }), mask);
      return context.body(ReadableStream.from(encodeChunks(chunks)), 200, {
        'content-type': 'application/json; charset=utf-8',
      });
    },
  },
];

/** Streams the JSON in chunks, because the result for a large file would be one very long string. */
async function* streamImportJson(
  uploads: AsyncIterable<UploadItem>,
  mask: SecretMask,
): AsyncGenerator<string> {
  const problems: unknown[] = [];
  let separator = '{"runs":[';
  for await (const upload of uploads) {
    if ('problem' in upload) problems.push(upload.problem);
    else {
      yield separator + JSON.stringify(mask(upload.run));
      separator = ',';
    }
  }
  yield `${separator === ',' ? '' : separator}],"problems":${JSON.stringify(mask(problems))}}`;
}

async function* encodeChunks(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of chunks) yield encoder.encode(chunk);
}
