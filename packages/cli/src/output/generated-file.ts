import { open } from 'node:fs/promises';

/** Returns whether Pawl generated a file, which makes it safe to replace. */
export async function isGeneratedFile(path: string, marker: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const expected = Buffer.from(marker);
    const { buffer } = await file.read({ buffer: Buffer.alloc(expected.length), position: 0 });
    return buffer.equals(expected);
  } catch {
    // A folder, or another path that cannot be read as a file.
    return false;
  } finally {
    await file.close();
  }
}
