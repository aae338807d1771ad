/**
 * Whether a file name suggests keys or passwords. Such files are neither searched nor committed, because search results
 * may be sent to a remote model and commits are permanent. Example files and public keys are not secret.
 */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return !/\.(?:example|sample|template|dist|md|pub)$/.test(name) && secretFilePattern.test(name);
}

const secretFilePattern = new RegExp(
  [
    String.raw`^\.env(?:\..+)?$`,
    String.raw`^\.(?:npmrc|netrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519)(?:[^a-z].*)?$`,
    String.raw`\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$`,
    String.raw`^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt))?$`,
    String.raw`^service-account.*\.json$`,
  ].join('|'),
);
