import type { EventType } from './event.ts';
import type { Verdict } from './governor/verdict.ts';
import type { Moved } from './memory/page.ts';
import type { TurnStatus } from './turn/state.ts';

/** A note is something worth recording. It asks for nothing; leaving every note out changes nothing. */
export type Note =
  | {
      readonly type: 'transition';
      readonly at: number;
      readonly from: TurnStatus;
      readonly to: TurnStatus;
      readonly cause: EventType;
      readonly durationMs: number;
    }
  /** The event did not fit the state; the state is as it was. */
  | {
      readonly type: 'refused';
      readonly at: number;
      readonly status: TurnStatus;
      readonly event: EventType;
      readonly reason: string;
    }
  /** The mode changed, or what the model wanted was put right. */
  | {
      readonly type: 'mode';
      readonly at: number;
      readonly from: string;
      readonly to: string;
      readonly cause: string;
      readonly durationMs: number;
    }
  /** Entries were moved from working memory to storage, and why. */
  | {
      readonly type: 'paged';
      readonly at: number;
      readonly moved: readonly Moved[];
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
