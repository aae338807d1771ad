import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import {
  canonicalizeJson,
  classifyError,
  fingerprintJson,
  fingerprintMeaning,
  fingerprintResult,
  fingerprintText,
} from '../../src/observations/fingerprint.ts';
import {
  computeSimilarity,
  findRepetitionLoop,
  observeText,
} from '../../src/observations/text-observation.ts';

/** Stored sessions contain fingerprints, so they must never change. */
describe('fingerprints of earlier versions', () => {
  it.each([
    ['', 'ztntfpd1wryv', '1efc4fz0hwlj', '1efc4fz0hwlj', ''],
    ['abc', '7aigaz1jcmk7l', '1fklclt1kj3kv4', '1fklclt1kj3kv4', 'abc'],
    ['Żółć 雨 𝐀', 'o7o0m113gdbzi', 'll1lj31jzrdd0', 'll1lj31jzrdd0', 'żółć 雨 𝐀'],
    [
      'took 12 ms at 2026-01-02T03:04:05Z, pid 4711, commit deadbeef1, 3 files',
      'sk4ogdap22gz',
      'v5wuexsjg2bz',
      'v5wuexsjg2bz',
      'took # ms at #-#-#:#:#, pid #, commit #, # files',
    ],
    ['/tmp/pawl-x1/a.txt: line 7', '4kyyyb122xtw5', 'wvfd1d1p5jnuq', 'wvfd1d1p5jnuq', '<path> line #'],
    [
      'sshd[4711]: request req_ab12cd34 took 0m3.5s',
      'tnmip57c1kne',
      '9th5kb1t1bvz1',
      '1skpcn8h0frrm',
      'sshd[#]: request # took #.#',
    ],
    [
      'bash: line 12: foo: command not found',
      'bwi6xalpax',
      '38xyx8wl3apd',
      '1o5gpvl1dzzuvf',
      'bash: line #: foo: command not found',
    ],
    [
      'Error: Cannot find module \'./a/b\' in "C:\\\\x1" (code 42)\u00a0\u2028now',
      '1c1sngl1gqty4h',
      '11u98b7r3q8pi',
      '11u98b7r3q8pi',
      'error: cannot find module <quoted> in <quoted> (code #) now',
    ],
  ])('are those of the text %j', (text, ...expected) => {
    const fingerprints = [fingerprintText(text), fingerprintMeaning(text), fingerprintResult(text)];
    expect([...fingerprints, classifyError(text)]).toEqual(expected);
  });

  it.each([
    ['', 'ztntfpd1wryv', []],
    ['So.', '17wbg5xylrwrg', []],
    [
      'Ich prüfe die Datei „a.txt“ noch einmal, dann das Ergebnis.',
      '1fb86rqtmluq6',
      [
        770_371_012, 887_638_119, 1_077_089_921, 1_663_719_818, 2_036_510_849, 3_224_564_946, 3_327_994_128,
        3_802_524_203, 4_067_740_828,
      ],
    ],
    [
      'İstanbul ve 𝐀𝐁 雨が降る: 3 kez',
      'zebb9l1pler9t',
      [397_512_224, 598_393_529, 1_219_116_725, 3_669_178_282],
    ],
    ['\ud835i lone surrogate here', '7spc7w9c0yjz', [105_455_608, 2_696_366_125]],
  ])('are those of the reply %j', (text, fingerprint, sample) => {
    expect(observeText(1, text)).toEqual({ kind: 'text', seq: 1, fingerprint, sample });
  });
});

describe('the fingerprint of arguments', () => {
  it('is that of their canonical text', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (tool, value) => {
        const args = value as Json;
        expect(fingerprintJson(tool, args)).toBe(fingerprintText(`${tool} ${canonicalizeJson(args)}`));
      }),
    );
  });
});

describe('the observation of a reply', () => {
  it('is not affected by the replies that were observed before it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 80 }), (text, before) => {
        const first = observeText(1, text);
        observeText(2, before);
        expect(observeText(1, text)).toEqual(first);
        expect(computeSimilarity(first, first)).toBe(1);
      }),
    );
  });

  it('samples at most 32 trigrams of a long text, in ascending order without duplicates', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 300 }), (text) => {
        const { sample } = observeText(1, text);
        expect(sample.length).toBeLessThanOrEqual(32);
        expect(sample).toEqual([...new Set(sample)].toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('a repetition loop', () => {
  it('is found whatever precedes it and however long its block is', () => {
    const rest = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', ' ', '\n'), maxLength: 200 });
    fc.assert(
      fc.property(fc.lorem({ maxCount: 60 }), rest, (before, text) => {
        const block = `word ${text}`;
        const times = Math.max(5, Math.ceil(400 / block.length));
        expect(findRepetitionLoop(`${before}${block.repeat(times)}`)).not.toBeNull();
      }),
    );
  });
});
