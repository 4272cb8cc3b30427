/** `defaults` with what `given` says over them; a key that is given as undefined says nothing. */
export function withDefaults<T extends object>(
  defaults: T,
  given: { readonly [K in keyof T]?: T[K] | undefined } | null,
): T {
  const said = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(said) };
}
