/**
 * Files that by their name hold keys or passwords. They are neither searched nor committed: what is searched may be sent to a
 * model somewhere else, and what is committed stays. Examples of such files are there to be read, and so are public keys.
 */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return !/\.(?:example|sample|template|dist|md|pub)$/.test(name) && secretNames.test(name);
}

const secretNames = new RegExp(
  [
    String.raw`^\.env(?:\..+)?$`,
    String.raw`^\.(?:npmrc|netrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519)(?:[^a-z].*)?$`,
    String.raw`\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$`,
    String.raw`^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt))?$`,
    String.raw`^service-account.*\.json$`,
  ].join('|'),
);
