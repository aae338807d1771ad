import { describe, expect, it } from 'vitest';
import { findXmlError } from './well-formed.ts';

describe('the XML check', () => {
  it.each(['<a/>', '<a b="c" d="e f"/>', '<a>x &#60; y<b></b>z</a>\n', '<a>x > y</a>'])(
    'accepts %j',
    (text) => {
      expect(findXmlError(text)).toBeNull();
    },
  );

  it.each([
    '',
    '<a>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a>&</a>',
    '<a>&lt</a>',
    '<a b=c/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a>\u0000</a>',
    '<a>\uFFFF</a>',
    '<a>\uD800</a>',
    'x<a/>',
    '<a/>x',
    '<a',
    '<a>x<</a>',
    '<a>]]></a>',
  ])('rejects %j', (text) => {
    expect(findXmlError(text)).not.toBeNull();
  });
});
