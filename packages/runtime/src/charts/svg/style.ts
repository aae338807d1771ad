const lightPalette = {
  page: '#ffffff',
  ink: '#1f2328',
  soft: '#59636e',
  main: '#0969da',
  plain: '#a3acb6',
  faint: '#e3e7eb',
  waiting: '#ddf4ff',
  passing: '#f6f8fa',
  terminal: '#ffebe9',
  end: '#cf222e',
};

const darkPalette: typeof lightPalette = {
  page: '#0d1117',
  ink: '#f0f6fc',
  soft: '#9198a1',
  main: '#4493f8',
  plain: '#59636e',
  faint: '#242a32',
  waiting: '#10243e',
  passing: '#151b23',
  terminal: '#3c1618',
  end: '#f85149',
};

/**
 * Every rule is scoped to one class, so that an inlined drawing does not style the rest of the page. CSS variables are
 * avoided because some renderers do not support them.
 */
export const chartStylesheet = [
  '.pawl-chart text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;text-anchor:middle}',
  '.pawl-chart .label{font-size:10.5px;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}',
  '.pawl-chart .legend{font-size:11px;text-anchor:start}',
  '.pawl-chart .line{fill:none;stroke-width:1.1px}',
  '.pawl-chart .line.main{stroke-width:2.2px}',
  '.pawl-chart .passing{stroke-dasharray:4 3}',
  '.pawl-chart .terminal{stroke-width:2px}',
  ...buildStyleRules(lightPalette),
  `@media (prefers-color-scheme:dark){${buildStyleRules(darkPalette).join('')}}`,
].join('\n');

function buildStyleRules(palette: typeof lightPalette): readonly string[] {
  const { page, ink, soft, main, plain, faint, waiting, passing, terminal, end } = palette;
  return [
    `.pawl-chart .page{fill:${page}}`,
    `.pawl-chart .name,.pawl-chart .start{fill:${ink}}`,
    `.pawl-chart .legend{fill:${soft}}`,
    `.pawl-chart .label{fill:${soft};stroke:${page}}`,
    `.pawl-chart .label.main{fill:${main}}`,
    ...Object.entries({ main, plain, faint }).flatMap(([tier, color]) => [
      `.pawl-chart .line.${tier}{stroke:${color}}`,
      `.pawl-chart .head.${tier}{fill:${color}}`,
    ]),
    `.pawl-chart .waiting{fill:${waiting};stroke:${main}}`,
    `.pawl-chart .passing{fill:${passing};stroke:${soft}}`,
    `.pawl-chart .terminal{fill:${terminal};stroke:${end}}`,
  ];
}
