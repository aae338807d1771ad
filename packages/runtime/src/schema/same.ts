import type { Json } from '@pawl/core';
import type * as z from 'zod';

/*
 * The schemas say at run time what core's types say at compile time. These types hold the two to each other: a key, a
 * value or an optional mark that only one of them has makes the program not compile.
 */

/** The schema itself if it says what the type says; else something that it cannot be. */
export type Exactly<Schema, Type> =
  Same<z.output<Schema>, Type> extends true ? Schema : { readonly 'differs from the type': Type };

/** A table whose schemas say what the types of the same names say. */
export type Agreeing<Schemas, Types> = {
  readonly [Name in keyof Types]: Name extends keyof Schemas ? Exactly<Schemas[Name], Types[Name]> : never;
};

/**
 * Whether two types are the same both ways, once aliases, intersections and `readonly` are written out. Two functions
 * that are generic over the same condition are only alike if the compiler holds the conditions to be identical.
 */
type Same<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** `Json` holds itself, so it is taken as one word. */
type Plain<T> = [T, Json] extends [Json, T] ? 'any JSON' : Spelt<T>;

type Spelt<T> = T extends readonly (infer Item)[]
  ? { readonly items: Plain<Item> }
  : T extends object
    ? { readonly [Key in keyof T]: Plain<T[Key]> }
    : T;
