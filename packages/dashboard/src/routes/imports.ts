import { importQuerySchema, importsSchema } from '../api/imports.ts';
import { bodyLimits, bytesOf, queryAs } from '../http/body.ts';
import { readUpload, type Upload } from '../imports/read-upload.ts';
import type { Mask } from '../mask.ts';
import type { Route } from './route.ts';

export const importRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/imports',
    name: 'importRuns',
    summary:
      'Reads recorded runs of any agent from a file, as pawl audit does, or a session made by pawl export. They are judged and given back as sessions; nothing is kept.',
    query: importQuerySchema,
    body: { type: 'application/octet-stream' },
    answers: { 200: { what: 'The runs in it, and what could not be read.', schema: importsSchema } },
    async handle(context, { mask, now }) {
      const { name } = queryAs(context, importQuerySchema);
      const bytes = await bytesOf(context, bodyLimits.importBytes);
      const pieces = answerPieces(readUpload(bytes, { name, now: now() }), mask);
      return context.body(ReadableStream.from(encoded(pieces)), 200, {
        'content-type': 'application/json; charset=utf-8',
      });
    },
  },
];

/** Piece by piece: all of a large file at once would be one very long text. */
async function* answerPieces(uploads: AsyncIterable<Upload>, mask: Mask): AsyncGenerator<string> {
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

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
