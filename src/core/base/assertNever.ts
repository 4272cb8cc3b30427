/** Proves at compile time that every member of a union was handled; throws if data broke that promise at run time. */
export function assertNever(value: never, what = 'value'): never {
  throw new Error(`Unexpected ${what}: ${JSON.stringify(value)}`);
}
