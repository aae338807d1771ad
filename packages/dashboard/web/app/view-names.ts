/** The session views, in tab order. */
export const viewNames = ['transcript', 'events', 'chart', 'timeline', 'why', 'governor', 'memory'] as const;

export type ViewName = (typeof viewNames)[number];
