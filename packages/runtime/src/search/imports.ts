/**
 * Whether a line of code only imports or re-exports names. There are so many such lines that they would crowd out lines
 * that explain the names. Blank lines and names inside the braces of an import count too.
 */
export function isImportLine(line: string): boolean {
  return importPatterns.some((pattern) => pattern.test(line));
}

const importPatterns: readonly RegExp[] = [
  /^\s*$/,
  /^(?:import|#include|package)\b/,
  /^(?:export (?:type )?[{*].*|\} )from ['"]/,
  /^(?:import|export) (?:type )?\{$/,
  /^\s+(?:type )?\w+,$/,
  /^from \S+ import\b/,
  /^use [\w:]+|^using [\w.]+;/,
  /^(?:const|let|var) .*\brequire\(/,
];
