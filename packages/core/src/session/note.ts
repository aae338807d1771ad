import type { EventType } from './event.ts';
import type { Verdict } from '@pawl/governor';
import type { MovedEntry } from '../memory/page-entries.ts';
import type { TurnStatus } from './turn-state.ts';

/** A note is worth recording but requires nothing; dropping every note changes no state. */
export type Note =
  | {
      readonly type: 'transition';
      readonly at: number;
      readonly from: TurnStatus;
      readonly to: TurnStatus;
      readonly cause: EventType;
      readonly durationMs: number;
    }
  /** The event is not valid in this state; the state is unchanged. */
  | {
      readonly type: 'refused';
      readonly at: number;
      readonly status: TurnStatus;
      readonly event: EventType;
      readonly reason: string;
    }
  /** The mode changed, or the transition the model requested was corrected. */
  | {
      readonly type: 'mode';
      readonly at: number;
      readonly from: string;
      readonly to: string;
      readonly cause: string;
      readonly durationMs: number;
    }
  /** Entries moved from working memory to storage, each with the reason. */
  | {
      readonly type: 'paged';
      readonly at: number;
      readonly moved: readonly MovedEntry[];
      readonly freedTokens: number;
    }
  | { readonly type: 'verdict'; readonly at: number; readonly verdict: Verdict }
  | {
      readonly type: 'phase-started';
      readonly at: number;
      readonly number: number;
      readonly description: string;
    }
  | {
      readonly type: 'phase-completed';
      readonly at: number;
      readonly number: number;
      readonly success: boolean;
    };
