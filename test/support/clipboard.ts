import type { BrowserContext, Page } from 'playwright-core'

/** All pages of the run's browser share one clipboard, so a page remembers what it copied. */
export async function allowCopying(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['clipboard-write'])
  await context.addInitScript(`{
    const { clipboard } = navigator
    const write = clipboard?.writeText.bind(clipboard)
    if (write) {
      clipboard.writeText = async (text) => {
        await write(text)
        window.copied = text
      }
    }
  }`)
}

export const readCopied = (page: Page) => page.evaluate<string | undefined>('window.copied')
