import type { ToolDescription } from '../tools/tool.ts';
import type { OfferedTool } from './offered-tools.ts';

/** A tool that waits for the user's approval. All texts are sanitized and safe to display. */
export type ToolReview = Omit<OfferedTool, 'original'> & {
  /** `changed`: a different version was approved before. */
  readonly why: 'new' | 'changed';
};

/** Whether a tool may be called: `ready` if its current version is approved, otherwise why not. */
export type ToolApprovalStatus =
  | { readonly kind: 'ready'; readonly tool: OfferedTool }
  | { readonly kind: 'new' | 'changed'; readonly tool: OfferedTool }
  /** The server no longer offers the tool. */
  | { readonly kind: 'gone' };

/** Compares the tools that a server offers with the approved versions. */
export class McpToolRegistry {
  #offered: ReadonlyMap<string, OfferedTool> = new Map();
  #approved: ReadonlyMap<string, string> = new Map();

  update(offered: readonly OfferedTool[], approved: ReadonlyMap<string, string>): void {
    this.#offered = new Map(offered.map((tool) => [tool.name, tool]));
    this.#approved = approved;
  }

  setApproved(approved: ReadonlyMap<string, string>): void {
    this.#approved = approved;
  }

  get reviews(): readonly ToolReview[] {
    return [...this.#offered.values()].flatMap((tool) => {
      const { kind } = this.getStatus(tool.name);
      if (kind !== 'new' && kind !== 'changed') return [];
      const { original: _, ...shown } = tool;
      return [{ ...shown, why: kind }];
    });
  }

  getStatus(name: string): ToolApprovalStatus {
    const tool = this.#offered.get(name);
    if (tool === undefined) return { kind: 'gone' };
    const approved = this.#approved.get(tool.original);
    if (approved === undefined) return { kind: 'new', tool };
    return { kind: approved === tool.fingerprint ? 'ready' : 'changed', tool };
  }

  /** Returns the description for the model. The server's own text is withheld until the tool is approved. */
  describe(name: string): ToolDescription {
    const status = this.getStatus(name);
    if (status.kind === 'ready') {
      const { description, parameters } = status.tool;
      return { name, description, parameters };
    }
    return {
      name,
      description: `Not available: ${unavailableReasons[status.kind]}`,
      parameters: { type: 'object' },
    };
  }
}

/** Why a tool cannot be called, and how to change that. */
export const unavailableReasons: { readonly [Kind in Exclude<ToolApprovalStatus['kind'], 'ready'>]: string } =
  {
    new: 'the user has not approved this tool yet. Continue without it, or ask the user to approve it.',
    changed:
      'its server has changed the definition of this tool since the user approved it. Continue without it, or ask the user to approve it again.',
    gone: 'its server no longer offers this tool. Continue without it.',
  };
