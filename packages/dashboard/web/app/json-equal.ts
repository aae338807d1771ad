/** Deep equality of plain JSON; the order of fields does not matter. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [keys, otherKeys] = [Object.keys(one), Object.keys(other)];
  return (
    keys.length === otherKeys.length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isJsonEqual(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}
