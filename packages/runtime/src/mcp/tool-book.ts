import type { ToolDescription } from '../tools/tool.ts';
import type { OfferedTool } from './offered-tools.ts';

/** A tool that waits for the user's word. Everything in it is made visible and may be shown. */
export type ToolReview = Omit<OfferedTool, 'original'> & {
  /** `changed`: another version of it was approved before. */
  readonly why: 'new' | 'changed';
};

/** Whether a tool may be called: `ready` in the version that was approved, or why not. */
export type Standing =
  | { readonly kind: 'ready'; readonly tool: OfferedTool }
  | { readonly kind: 'new' | 'changed'; readonly tool: OfferedTool }
  /** Its server no longer offers it. */
  | { readonly kind: 'gone' };

/** What a server offers, held against what was approved. */
export class ToolBook {
  #offered: ReadonlyMap<string, OfferedTool> = new Map();
  #approved: ReadonlyMap<string, string> = new Map();

  take(offered: readonly OfferedTool[], approved: ReadonlyMap<string, string>): void {
    this.#offered = new Map(offered.map((tool) => [tool.name, tool]));
    this.#approved = approved;
  }

  approve(approved: ReadonlyMap<string, string>): void {
    this.#approved = approved;
  }

  get reviews(): readonly ToolReview[] {
    return [...this.#offered.values()].flatMap((tool) => {
      const { kind } = this.standing(tool.name);
      if (kind !== 'new' && kind !== 'changed') return [];
      const { original: _, ...shown } = tool;
      return [{ ...shown, why: kind }];
    });
  }

  standing(name: string): Standing {
    const tool = this.#offered.get(name);
    if (tool === undefined) return { kind: 'gone' };
    const approved = this.#approved.get(tool.original);
    if (approved === undefined) return { kind: 'new', tool };
    return { kind: approved === tool.fingerprint ? 'ready' : 'changed', tool };
  }

  /** What a model is told of a tool. Of one that is not approved it gets to know nothing but that. */
  describe(name: string): ToolDescription {
    const standing = this.standing(name);
    if (standing.kind === 'ready') {
      const { description, parameters } = standing.tool;
      return { name, description, parameters };
    }
    return { name, description: `Not available: ${refusals[standing.kind]}`, parameters: { type: 'object' } };
  }
}

/** Why a tool cannot be called, and what would change that. */
export const refusals: { readonly [Kind in Exclude<Standing['kind'], 'ready'>]: string } = {
  new: 'the user has not approved this tool yet. Go on without it, or ask the user to approve it.',
  changed:
    'its server has changed what it says of this tool since the user approved it. Go on without it, or ask the user to approve it again.',
  gone: 'its server no longer offers this tool. Go on without it.',
};
