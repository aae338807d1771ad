/**
 * Whether a line of code only names things from elsewhere. So many lines do that they would hide those that say something
 * about the things. Blank lines and names inside the braces of an import count too.
 */
export function isImport(line: string): boolean {
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
