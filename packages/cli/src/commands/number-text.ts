export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** 1,234,567 */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en');
}

/** A share of one in per cent; a dash where there is nothing to take a share of. */
export function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}
