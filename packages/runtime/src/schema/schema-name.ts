/** Returns the name of a schema among the definitions: event `user-message` is `UserMessageEvent`. */
export function toSchemaName(type: string, kind: 'Event' | 'Action' | 'Note'): string {
  const words = type.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}${kind}`;
}
