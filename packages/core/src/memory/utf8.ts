/** How many bytes a text takes as UTF-8. Half of a surrogate pair on its own counts as the sign that replaces it. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isHigh(code) && isLow(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** False for NaN, which is what stands behind the end of a text. */
function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
