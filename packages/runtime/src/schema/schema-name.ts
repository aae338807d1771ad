/** What a schema is called among the definitions: `user-message` of the events is `UserMessageEvent`. */
export function schemaName(type: string, kind: 'Event' | 'Action' | 'Note'): string {
  const words = type.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}${kind}`;
}
