/** One version of one tool of one server. */
export type Approval = { readonly server: string; readonly tool: string; readonly fingerprint: string };

/** What the user has approved, by fingerprint. A tool has one approved version at most. */
export type Approvals = {
  /** The approved version of each tool of a server, by the server's own name for the tool. */
  of(server: string): Promise<ReadonlyMap<string, string>>;
  approve(approvals: readonly Approval[]): Promise<void>;
  /** Forgets everything about a server. */
  revoke(server: string): Promise<void>;
};

export function createApprovals(): Approvals {
  let held: readonly Approval[] = [];
  return {
    of: (server) => Promise.resolve(versionsOf(held, server)),
    approve(approvals) {
      held = withApprovals(held, approvals);
      return Promise.resolve();
    },
    revoke(server) {
      held = held.filter((each) => each.server !== server);
      return Promise.resolve();
    },
  };
}

export function versionsOf(held: readonly Approval[], server: string): ReadonlyMap<string, string> {
  return new Map(held.filter((each) => each.server === server).map((each) => [each.tool, each.fingerprint]));
}

export function withApprovals(
  held: readonly Approval[],
  approvals: readonly Approval[],
): readonly Approval[] {
  const key = ({ server, tool }: Approval): string => JSON.stringify([server, tool]);
  return [...new Map([...held, ...approvals].map((each) => [key(each), each])).values()];
}
