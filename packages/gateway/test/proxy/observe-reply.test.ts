import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observeReply, type ReplyEncoding } from '../../src/proxy/observe-reply.ts';
import { anthropicWireFormat } from '../../src/proxy/anthropic.ts';
import { geminiWireFormat } from '../../src/proxy/gemini.ts';
import { openaiChatWireFormat } from '../../src/proxy/openai-chat.ts';
import { openaiResponsesWireFormat } from '../../src/proxy/openai-responses.ts';
import type { WireFormat } from '../../src/proxy/wire-format.ts';

const stream = { type: 'text/event-stream; charset=utf-8', encoding: '', isStream: true };

/** Converts a piece of text to an event of each wire format. */
const pieces: Readonly<Record<string, (text: string) => object>> = {
  'openai-chat': (content) => ({ choices: [{ index: 0, delta: { content } }] }),
  'openai-responses': (delta) => ({ type: 'response.output_text.delta', output_index: 0, delta }),
  gemini: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
  anthropic: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
};

function toSseBuffer(wire: WireFormat, text: string, newline: string): Buffer {
  const all = (text.match(/.{1,20}/gsu) ?? []).map((piece) => JSON.stringify(pieces[wire.name]?.(piece)));
  return Buffer.from(all.map((data) => `data: ${data}${newline}${newline}`).join(''));
}

/** Returns what a client receives of a stream that arrives in chunks of these sizes. */
function readPassedText(
  wire: WireFormat,
  bytes: Buffer,
  sizes: readonly number[],
  encoding: ReplyEncoding = stream,
): { readonly text: string; readonly isCut: boolean } {
  const observer = observeReply(wire, encoding);
  let text = Buffer.alloc(0);
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const chunk = bytes.subarray(start, start + (sizes[turn % sizes.length] ?? 1));
    start += chunk.length;
    const cut = observer.readChunk(chunk);
    text = Buffer.concat([text, cut === null ? chunk : chunk.subarray(0, cut.passBytes)]);
    if (cut !== null) return { text: text.toString() + cut.ending, isCut: true };
  }
  return { text: text.toString(), isCut: false };
}

function toJsonArrayBuffer(text: string, separator: string): Buffer {
  const all = (text.match(/.{1,20}/gsu) ?? []).map((piece) =>
    JSON.stringify(pieces['gemini']?.(piece), null, 1),
  );
  return Buffer.from(`[${all.join(separator)}\n]`);
}

const namedWireFormats = [
  openaiChatWireFormat,
  openaiResponsesWireFormat,
  anthropicWireFormat,
  geminiWireFormat,
].map((wire) => ({ wire, name: wire.name }));
const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 });
const newline = fc.constantFrom('\n', '\r\n');

describe.each(namedWireFormats)('a stream of $name', ({ wire }) => {
  it('with a repetition loop is cut after a complete event, however it is chunked', () => {
    const loop = 'Ich prüfe es jetzt. 💡 '.repeat(200);
    fc.assert(
      fc.property(sizes, newline, (chunks, end) => {
        const { text, isCut } = readPassedText(wire, toSseBuffer(wire, loop, end), chunks);
        expect(isCut).toBe(true);
        const events = text.split(/\r?\n\r?\n/).filter((event) => event !== '');
        expect(events.length).toBeLessThan(100);
        for (const event of events) {
          const data = /^(?:event: [\w.]+\n)?data: (.*)$/s.exec(event)?.[1] ?? '';
          if (data !== '[DONE]') expect(() => JSON.parse(data) as unknown).not.toThrow();
        }
      }),
      {
        numRuns: 200,
        examples: [
          [[1], '\n'],
          [[1], '\r\n'],
        ],
      },
    );
  });

  it('without one passes unchanged and is read completely', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        newline,
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        async (chunks, end, text) => {
          const bytes = toSseBuffer(wire, text, end);
          const observer = observeReply(wire, stream);
          for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
            const chunk = bytes.subarray(start, start + (chunks[turn % chunks.length] ?? 1));
            start += chunk.length;
            expect(observer.readChunk(chunk)).toBeNull();
          }
          const reply = await observer.end();
          if (wire !== openaiResponsesWireFormat) expect(reply?.text).toBe(text);
          expect(reply?.calls).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('with arbitrary bytes passes unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const observer = observeReply(wire, stream);
        for (const chunk of chunks) expect(observer.readChunk(Buffer.from(chunk))).toBeNull();
      }),
    );
    const odd = [
      '{"choices":7}',
      '{"choices":[null]}',
      '{"delta":[]}',
      '{"response":3}',
      '{"type":{}}',
      '[]',
      '{',
    ];
    const observer = observeReply(wire, stream);
    for (const data of odd) expect(observer.readChunk(Buffer.from(`data: ${data}\n\n`))).toBeNull();
  });
});

const arrayStream = { type: 'application/json; charset=UTF-8', encoding: '', isStream: true };
const separator = fc.constantFrom(',', ',\r\n', '\n,\n');

describe('a stream of gemini as a JSON array', () => {
  it('with a repetition loop is cut and stays a valid array, however it is chunked', () => {
    const loop = 'Ich "prüfe" {es} \\ jetzt. 💡 '.repeat(200);
    fc.assert(
      fc.property(sizes, separator, (chunks, between) => {
        const { text, isCut } = readPassedText(
          geminiWireFormat,
          toJsonArrayBuffer(loop, between),
          chunks,
          arrayStream,
        );
        expect(isCut).toBe(true);
        const events = JSON.parse(text) as readonly { candidates: { finishReason?: string }[] }[];
        expect(events.length).toBeLessThan(100);
        expect(events.at(-1)?.candidates[0]?.finishReason).toBe('MAX_TOKENS');
      }),
      { numRuns: 200, examples: [[[1], ',']] },
    );
  });

  it('without one passes unchanged and is read completely', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        separator,
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        async (chunks, between, text) => {
          const bytes = toJsonArrayBuffer(text, between);
          const observer = observeReply(geminiWireFormat, arrayStream);
          for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
            const chunk = bytes.subarray(start, start + (chunks[turn % chunks.length] ?? 1));
            start += chunk.length;
            expect(observer.readChunk(chunk)).toBe(null);
          }
          expect((await observer.end())?.text).toBe(text);
        },
      ),
    );
  });
});
