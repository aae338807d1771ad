import type { Json } from '@pawl/core';
import type * as z from 'zod';

/*
 * The schemas validate at run time what core's types declare at compile time. These types enforce that both agree: a
 * key, a value or an optional mark that only one of them has is a compile error.
 */

/** The schema itself if its output equals the type; otherwise a type that it cannot satisfy. */
export type ExactSchema<Schema, Type> =
  IsSameType<z.output<Schema>, Type> extends true ? Schema : { readonly 'differs from the type': Type };

/** A table of schemas that equal the types of the same names. */
export type ExactSchemas<Schemas, Types> = {
  readonly [Name in keyof Types]: Name extends keyof Schemas
    ? ExactSchema<Schemas[Name], Types[Name]>
    : never;
};

/**
 * Whether two types are identical once aliases, intersections and `readonly` are expanded. Two generic functions over
 * the same condition are assignable only if the compiler considers the conditions identical.
 */
type IsSameType<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  (<T>() => T extends ExpandedType<A> ? 1 : 2) extends <T>() => T extends ExpandedType<B> ? 1 : 2
    ? true
    : false;

/** `Json` is recursive, so it is replaced by a literal. */
type ExpandedType<T> = [T, Json] extends [Json, T] ? 'any JSON' : ExpandedMembers<T>;

type ExpandedMembers<T> = T extends readonly (infer Item)[]
  ? { readonly items: ExpandedType<Item> }
  : T extends object
    ? { readonly [Key in keyof T]: ExpandedType<T[Key]> }
    : T;

/** Returns the name of a schema among the definitions: event `user-message` is `UserMessageEvent`. */
export function toSchemaName(type: string, kind: 'Event' | 'Action' | 'Note'): string {
  const words = type.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}${kind}`;
}
