const iconPaths = {
  first: 'M4 3v10M13 3L6 8l7 5z',
  back: 'M12 3L5 8l7 5z',
  on: 'M4 3l7 5-7 5z',
  play: 'M4.5 2.5l8.5 5.5-8.5 5.5z',
  stop: 'M4 4h8v8H4z',
  close: 'M4 4l8 8M12 4l-8 8',
  system: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  light: 'M8 5a3 3 0 1 0 .01 0M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
} as const;

/** Inline SVG, because icon characters look different in every font or are missing. The button carries the label. */
export function SvgIcon({ name }: { readonly name: keyof typeof iconPaths }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={`icon-drawn icon-${name}`}>
      <path d={iconPaths[name]} />
    </svg>
  );
}
