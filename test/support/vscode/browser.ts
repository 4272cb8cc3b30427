import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/setupSystem.mjs';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
];

/**
 * The half key of SecretStorage, which the wrapper around this server would hand out. Without an answer secrets are lost on
 * reload.
 */
const answerMintKey = `{
  const realFetch = window.fetch.bind(window);
  window.fetch = (input, init) =>
    String(input?.url ?? input).endsWith('/mint-key')
      ? Promise.resolve(new Response(new Uint8Array(32).fill(7)))
      : realFetch(input, init);
}`;

/** Starts the headless Chromium of this machine (CHROMIUM_EXECUTABLE, else PATH), cut off from all but this machine. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath(), args: flags });
}

/** A fresh browser profile that a VS Code window works in as it would behind the usual wrapper. */
export async function newProfile(browser: Browser, viewport = { width: 1280, height: 800 }): Promise<BrowserContext> {
  const profile = await browser.newContext({ viewport });
  await profile.addInitScript({ content: answerMintKey });
  return profile;
}

/** Closes every page the way a person does, so that the extension host can deactivate, then the browser. */
export async function closeBrowser(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  await Promise.all(pages.map(async (page) => page.close({ runBeforeUnload: true })));
  await browser.close();
}

function chromiumPath(): string {
  const found = findChromium();
  if (found === undefined) {
    throw new Error('there is no Chromium: run node scripts/setupSystem.mjs, or set CHROMIUM_EXECUTABLE');
  }
  return found;
}
