/** Resolves when the signal aborts, also when it has already. */
export async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
    if (signal.aborted) {
      resolve();
    }
  });
}
