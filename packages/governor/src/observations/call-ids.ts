import type { Json } from '../json/json.ts';

/**
 * A tool call as the model requested it. `permission` is the decision of the caller's rules, and `because` the reason
 * for a denial; a call without `permission` is allowed.
 */
export type RequestedCall = {
  readonly id?: string;
  readonly tool: string;
  readonly args: Json;
  readonly permission?: 'allow' | 'ask' | 'deny';
  readonly denialReason?: string;
};

/** A tool call in the conversation. `id` is unique within its reply. */
export type ToolCall = { readonly id: string; readonly tool: string; readonly args: Json };

/**
 * Gives every call of a reply a unique id. Models omit ids or use one twice; such a call gets an id derived from the
 * request, so that a result is never assigned to the wrong call.
 */
export function assignCallIds(
  calls: readonly RequestedCall[],
  request: number,
  prefix = 'call',
): readonly ToolCall[] {
  const identified = Array<ToolCall>(calls.length);
  for (let index = 0; index < calls.length; index += 1) {
    const { id = '', tool, args } = calls[index] as RequestedCall;
    const isUsable = id !== '' && !isCallIdTaken(id, identified, index);
    identified[index] = {
      id: isUsable ? id : createFreeCallId(`${prefix}_${request}_${index}`, identified, index),
      tool,
      args,
    };
  }
  return identified;
}

function createFreeCallId(wanted: string, identified: readonly ToolCall[], count: number): string {
  let id = wanted;
  while (isCallIdTaken(id, identified, count)) id += '_';
  return id;
}

/** A linear scan is cheaper than a set, because a reply holds only a few calls. */
function isCallIdTaken(id: string, identified: readonly ToolCall[], count: number): boolean {
  for (let index = 0; index < count; index += 1) if (identified[index]?.id === id) return true;
  return false;
}
