/** The keys of one session. */
export type SessionKeys = {
  /** A hash: where the session stands, and how it began. */
  readonly session: string;
  /** A stream: the events, each under its number. */
  readonly log: string;
  readonly snapshot: string;
  /** A stream: what people have asked of it and nobody has carried out yet. */
  readonly commands: string;
  /** A hash: the id that a command was given, by the request it came with. */
  readonly requests: string;
  /** A list: those requests, the oldest first. */
  readonly requestOrder: string;
  /** A list: who has claimed it, and when, the newest last. */
  readonly claims: string;
  /** A hash: how often it was taken up without an orderly end, and why it is parked. */
  readonly care: string;
  /** A hash: what people have said about it afterwards, by names. */
  readonly marks: string;
};

/**
 * What is between the braces decides which node of a cluster a key is on. All keys of a session are on the same one, so
 * that one script can change them together; the braces in an id itself must not get in the way of that.
 */
export function keysOf(prefix: string, id: string): SessionKeys {
  const at = `${prefix}:{${encodeURIComponent(id)}}`;
  return {
    session: `${at}:session`,
    log: `${at}:log`,
    snapshot: `${at}:snapshot`,
    commands: `${at}:commands`,
    requests: `${at}:requests`,
    requestOrder: `${at}:request-order`,
    claims: `${at}:claims`,
    care: `${at}:care`,
    marks: `${at}:marks`,
  };
}

/** Ids by when they were last worked on. It only serves to find sessions: what counts is what is kept under their own keys. */
export function listKey(prefix: string): string {
  return `${prefix}:sessions`;
}

/** The number of the last claim, in the whole store. */
export function fenceKey(prefix: string): string {
  return `${prefix}:fence`;
}
