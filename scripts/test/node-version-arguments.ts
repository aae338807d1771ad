/** Arguments that make a Node process report another version, to test older versions on this machine. */
export function createNodeVersionArguments(version: string): readonly string[] {
  const code = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
