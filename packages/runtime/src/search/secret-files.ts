/**
 * Files that by their name hold keys or passwords. What is searched and read may be sent to a model somewhere else, so
 * these stay out of it; examples of such files are there to be read.
 */
export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/\.(?:example|sample|template|dist|md)$/.test(name)) return false;
  return secretNames.test(name);
}

const secretNames = new RegExp(
  [
    String.raw`^\.env(?:\..+)?$`,
    String.raw`^\.(?:npmrc|netrc|pgpass|htpasswd|git-credentials|dockercfg)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519)$`,
    String.raw`\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$`,
    String.raw`^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt))?$`,
  ].join('|'),
);
