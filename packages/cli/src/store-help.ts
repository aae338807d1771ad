/** In a separate file, so that showing help loads no store. */
export const storeHelp =
  'where sessions are kept: user, workspace (.pawl in the folder), none, a database file, or redis://host:6379 (default: "user")';
