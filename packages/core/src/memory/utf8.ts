/** Counts the UTF-8 bytes of a text. A lone surrogate counts as its replacement character. */
export function countUtf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** Returns false for NaN, which `charCodeAt` returns past the end of a text. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
