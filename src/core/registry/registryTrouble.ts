/** What is said of a registry of another version; ends in what the person can do. */
export function unsupportedText(path: string, version: string): string {
  return `${path} has version ${version}, and this Rollcall writes 1.x only, so it is left alone. Update Rollcall, or move the file away.`;
}

/** What is said of a registry that is no readable file; ends in what the person can do. */
export function unreadableText(path: string, reason: string): string {
  return `${path} cannot be read: ${reason}. Put a readable regular file there, or move it away.`;
}
