/** A whole number, not negative, that may have been written as quoted digits; anything else is null. */
export function wholeNumber(raw: unknown): number | null {
  const value = typeof raw === 'string' && /^\s*\d{1,15}\s*$/.test(raw) ? Number(raw) : raw;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
