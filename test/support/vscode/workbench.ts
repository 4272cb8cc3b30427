import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';
import { waitUntil } from './waitUntil';

/** Opens `url` in a new page of `profile` and resolves when the workbench is painted. */
export async function openWorkbench(profile: BrowserContext, url: string): Promise<Workbench> {
  const page = await profile.newPage();
  page.setDefaultTimeout(60_000);
  // A reload asks whether to leave the page.
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  const workbench = new Workbench(page);
  await workbench.ready();
  return workbench;
}

/** A VS Code window, found by the roles, labels and ids that VS Code sets on purpose. */
export class Workbench {
  constructor(readonly page: Page) {}

  /** Resolves when the window is painted. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
  }

  /** Loads the window anew and resolves when it is painted again. */
  async reload(): Promise<void> {
    await this.page.reload({ waitUntil: 'domcontentloaded' });
    await this.ready();
  }

  /** Brings the view container `name` of the activity bar to the front. */
  async openContainer(name: string): Promise<void> {
    const tab = this.page.locator('.part.activitybar').getByRole('tab', { name, exact: true });
    await tab.waitFor();
    // A click on the open one would close it.
    if ((await tab.getAttribute('aria-expanded')) !== 'true') {
      await tab.click();
    }
    await this.page.locator('.part.sidebar .composite.title').getByText(name).first().waitFor();
  }

  /** The view with the title `name`, header and body. */
  view(name: string): Locator {
    return this.page.locator(`.pane:has(> .pane-header[aria-label^="${name}"])`);
  }

  /** The view's header; a click folds and unfolds it. */
  viewHeader(name: string): Locator {
    return this.view(name).locator('.pane-header');
  }

  /** All rows of the view that are in sight. */
  rows(view: string): Locator {
    return this.view(view).getByRole('treeitem');
  }

  /** The rows of the view whose accessible label contains `label`. */
  row(view: string, label: string): Locator {
    return this.view(view).locator(`[role="treeitem"][aria-label*="${label}"]`);
  }

  /** Accessible labels of the rows in sight, from top to bottom. */
  async rowLabels(view: string): Promise<string[]> {
    const rows = await this.rows(view).all();
    const labels = await Promise.all(rows.map(async (row) => row.getAttribute('aria-label')));
    return labels.map((label) => label ?? '');
  }

  /** Clicks the inline action `action` of a row. */
  async inlineAction(row: Locator, action: string): Promise<void> {
    const button = row.locator(`.actions .action-label[aria-label^="${action}"]`);
    // Views are laid out while they fill, and a row that moves away from under the pointer hides its actions: a person
    // points at it again.
    await waitUntil(`the inline action ${action}`, async () => {
      if (!(await this.#pointsAt(row))) {
        return false;
      }
      return await button.click({ timeout: 1_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  /** Unfolds or folds a row by its twistie. */
  async toggleRow(row: Locator): Promise<void> {
    await row.locator('.monaco-tl-twistie').click();
  }

  /** Opens a row's context menu and chooses `item`. */
  async contextAction(row: Locator, item: string): Promise<void> {
    const entry = this.page.getByRole('menuitem', { name: item });
    await row.click({ button: 'right' });
    await entry.waitFor();
    // A menu that has just opened takes no click yet; a person clicks again.
    await waitUntil(`the menu to take ${item}`, async () => {
      await entry.click({ timeout: 1_000 }).catch(() => undefined);
      return await entry.isHidden();
    });
  }

  /** Clicks an action in the view's title. A container with one view shows that view's actions in its own title. */
  async titleAction(view: string, action: string): Promise<void> {
    const header = this.viewHeader(view);
    const classes = (await header.getAttribute('class')) ?? '';
    const merged = classes.split(' ').includes('hidden');
    const bar = merged ? this.page.locator('.part.sidebar .composite.title') : header;
    await bar.hover();
    await bar.locator(`.action-label[aria-label^="${action}"]`).click();
  }

  /** Runs the command with this title (`Category: Title`) from the palette. */
  async command(title: string): Promise<void> {
    // A window that still loads may close the palette or empty its box: a person opens it again.
    await waitUntil(`the command ${title} in the palette`, async () => {
      await this.page.keyboard.press('F1');
      if (await this.#isOffered(title).catch(() => false)) {
        return true;
      }
      // One that was opened before the extensions' commands were there does not look again while it is open.
      await this.page.keyboard.press('Escape');
      return false;
    });
    await this.page.keyboard.press('Enter');
  }

  /** The tooltip of another row may lie over it, also one that came late and hears of no pointer: a click elsewhere ends it. */
  async #pointsAt(row: Locator): Promise<boolean> {
    try {
      await row.hover({ timeout: 2_000 });
      return true;
    } catch {
      await this.page
        .locator('.part.editor')
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return false;
    }
  }

  async #isOffered(title: string): Promise<boolean> {
    await this.quickInput().fill(`>${title}`, { timeout: 2_000 });
    await this.quickItem(title).waitFor({ timeout: 2_000 });
    return true;
  }

  /** The text box of the open quick pick. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget input.input');
  }

  /** The first entry of the open quick pick whose label begins with `label`. */
  quickItem(label: string): Locator {
    return this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${label}"]`).first();
  }

  /** Chooses an entry of the open quick pick. */
  async pick(label: string): Promise<void> {
    await this.quickItem(label).click();
  }

  /** The status bar item with this full id, `publisher.extension.item`. */
  statusItem(id: string): Locator {
    return this.page.locator(`.part.statusbar [id="${id}"]`);
  }

  /** The notification toast that contains `text`. */
  notification(text: string): Locator {
    return this.page.locator('.notification-list-item', { hasText: text });
  }

  /** The editor's or the panel's lines in sight, as plain text. */
  async visibleLines(part: 'editor' | 'panel'): Promise<string> {
    const lines = await this.page.locator(`.part.${part} .view-line`).allInnerTexts();
    // Monaco draws blanks as no-break spaces.
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  /** The tab of an open editor. */
  editorTab(name: string): Locator {
    return this.page.locator('.part.editor').getByRole('tab', { name });
  }

  /** The document inside the `index`-th webview in sight. */
  webview(index = 0): FrameLocator {
    const outer = this.page.locator('iframe.webview.ready').nth(index).contentFrame();
    return outer.locator('iframe#active-frame').contentFrame();
  }
}
