/** The views on one session, in the order of their tabs. */
export const viewNames = ['transcript', 'events', 'chart', 'timeline', 'why', 'governor', 'memory'] as const;

export type ViewName = (typeof viewNames)[number];
