/** Approval of one version of one tool of one server. */
export type ToolApproval = { readonly server: string; readonly tool: string; readonly fingerprint: string };

/** Stores the versions the user approved, by fingerprint. Each tool has at most one approved version. */
export type ApprovalStore = {
  /** Returns the approved fingerprints of a server's tools, by the server's own tool names. */
  getFingerprints(server: string): Promise<ReadonlyMap<string, string>>;
  approve(approvals: readonly ToolApproval[]): Promise<void>;
  /** Removes all approvals of a server. */
  revoke(server: string): Promise<void>;
};

export function createMemoryApprovalStore(): ApprovalStore {
  let stored: readonly ToolApproval[] = [];
  return {
    getFingerprints: (server) => Promise.resolve(listApprovedVersions(stored, server)),
    approve(approvals) {
      stored = mergeApprovals(stored, approvals);
      return Promise.resolve();
    },
    revoke(server) {
      stored = stored.filter((each) => each.server !== server);
      return Promise.resolve();
    },
  };
}

export function listApprovedVersions(
  stored: readonly ToolApproval[],
  server: string,
): ReadonlyMap<string, string> {
  return new Map(
    stored.filter((each) => each.server === server).map((each) => [each.tool, each.fingerprint]),
  );
}

export function mergeApprovals(
  stored: readonly ToolApproval[],
  approvals: readonly ToolApproval[],
): readonly ToolApproval[] {
  const key = ({ server, tool }: ToolApproval): string => JSON.stringify([server, tool]);
  return [...new Map([...stored, ...approvals].map((each) => [key(each), each])).values()];
}
