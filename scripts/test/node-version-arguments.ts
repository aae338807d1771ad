/** Arguments that make a Node process take itself for another version: what an older machine would do, on this one. */
export function createNodeVersionArguments(version: string): readonly string[] {
  const code = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
