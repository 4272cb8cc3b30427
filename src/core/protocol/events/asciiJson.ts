/** One line of JSON in ASCII only, because Windows PowerShell 5.1 reads files without a mark in the ANSI code page. */
export function asciiJson(value: object): string {
  return asciiText(JSON.stringify(value));
}

/** A JSON text with everything beyond ASCII escaped; it says the same. */
export function asciiText(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
