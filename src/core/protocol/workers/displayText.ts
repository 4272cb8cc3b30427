// Terminal sequences (CSI and OSC), control characters, and the marks that reorder or hide what stands around them.
const INVISIBLE =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Text from a file made safe to show on one line: terminal sequences and control characters become blanks. */
export function displayText(text: string): string {
  return text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
}
