/** In a separate file, so that showing help loads no store. */
export const storeHelp =
  'session store: user, workspace (.pawl in the folder), none, a database file, or redis://host:6379 (default: "user")';
