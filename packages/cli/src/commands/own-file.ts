import { open } from 'node:fs/promises';

/** Whether a file is one that we wrote, which may be replaced; what somebody else wrote may not. */
export async function isOwnFile(path: string, mark: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const wanted = Buffer.from(mark);
    const { buffer } = await file.read({ buffer: Buffer.alloc(wanted.length), position: 0 });
    return buffer.equals(wanted);
  } catch {
    // A folder, or something else that has no beginning.
    return false;
  } finally {
    await file.close();
  }
}
