import {
  getItemDuration,
  getItemTopic,
  isFailedItem,
  isTimelineItem,
  listTranscriptItems,
  summarizeItem,
  type ReplayedStep,
  type TranscriptItem,
  type TranscriptTopic,
} from '@pawl/core/projections';

/** One timeline entry, on one line. Texts are raw: the caller must sanitize them before display. */
export type TimelineEntry = {
  readonly seq: number;
  readonly at: number;
  readonly what: TranscriptTopic;
  readonly text: string;
  readonly tookMs: number | null;
  readonly failed: boolean;
};

/** Converts a step to timeline entries. Many steps have none; a call, for example, is reported when it ends. */
export function toTimelineEntries(replayed: ReplayedStep): readonly TimelineEntry[] {
  return listTranscriptItems(replayed).filter(isTimelineItem).map(toTimelineEntry);
}

export function toTimelineEntry(item: TranscriptItem): TimelineEntry {
  const text = summarizeItem(item);
  return {
    seq: item.seq,
    at: item.at,
    what: getItemTopic(item),
    text: text.length > maxTimelineText ? `${text.slice(0, maxTimelineText)}…` : text,
    tookMs: getItemDuration(item),
    failed: isFailedItem(item),
  };
}

/** Maximum text length of an entry; the log has the full text. */
const maxTimelineText = 2_000;
