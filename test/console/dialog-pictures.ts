import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAccessible, isFull, takeScreenshot, variants } from '../pages/checkout-pictures.js'

type Options = {
  /** Opens it again in each size: a menu stands at its button. */
  open?: () => Promise<void>
  /** The other size has no button for it. */
  only?: 'phone' | 'desktop'
}

const dialogs = '[role=dialog]:visible, [role=menu]:visible'

/**
 * In `npm run pages`: pictures of an open dialog or menu in every size and color scheme, each
 * checked for accessibility, for focus inside it, and for parts that stand out of it. `id` is the
 * file below console/src and the component that shows it; dialogs.test.ts finds those without.
 */
export async function pictureDialog(
  page: Page,
  id: string,
  { open, only }: Options = {},
): Promise<void> {
  if (!isFull) return
  const name = `dialog-${id.replaceAll(/^screens\/|\W+(?=$)/g, '').replaceAll(/\W+/g, '-')}`
  let openIn: string | undefined
  for (const { size, viewport, colorScheme } of variants) {
    if (only && only !== size) continue
    if (open && openIn !== undefined && openIn !== size) await page.keyboard.press('Escape')
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    if (open && openIn !== size) await open()
    openIn = size
    const shown = page.locator(dialogs).last()
    await shown.waitFor()
    await expect
      .poll(() => shown.evaluate(holdsFocus), { message: `${id}: focus inside, ${size}` })
      .toBe(true)
    expect(await shown.evaluate(findOutside), `${id}: parts outside, ${size}`).toEqual([])
    await expectAccessible(page, { hasMenu: (await shown.getAttribute('role')) === 'menu' })
    await takeScreenshot(page, `${name}-${size}-${colorScheme}`, { fullPage: false })
    if (await shown.evaluate(scrollToEnd))
      await takeScreenshot(page, `${name}-end-${size}-${colorScheme}`, { fullPage: false })
  }
}

/* These run in the page, where the policy forbids to evaluate functions of texts. */

const holdsFocus = (shown: { contains: (other: unknown) => boolean; ownerDocument: unknown }) =>
  shown.contains((shown.ownerDocument as { activeElement: unknown }).activeElement)

type Box = { left: number; right: number; width: number }
type Part = { getBoundingClientRect: () => Box; outerHTML: string }
type Shown = Part & {
  querySelectorAll: (selector: string) => Iterable<Part>
  ownerDocument: { documentElement: { clientWidth: number } }
}

/** Controls that are cut by the frame of the dialog, or the frame by the window. */
function findOutside(shown: Shown): string[] {
  const frame = shown.getBoundingClientRect()
  const { clientWidth } = shown.ownerDocument.documentElement
  const isWide = frame.left < 0 || frame.right > clientWidth
  const outside = [...shown.querySelectorAll('button, input, textarea, a, h2, p')].filter(
    (part) => {
      const { left, right, width } = part.getBoundingClientRect()
      return width > 0 && (left < frame.left - 1 || right > frame.right + 1)
    },
  )
  return [...(isWide ? ['the dialog itself'] : []), ...outside.map((part) => part.outerHTML)]
}

/** Whether there was more below. */
function scrollToEnd(shown: {
  querySelectorAll: (selector: string) => Iterable<unknown>
}): boolean {
  const all = [shown, ...shown.querySelectorAll('*')] as {
    scrollTop: number
    scrollHeight: number
    clientHeight: number
  }[]
  const long = all.find(
    ({ scrollHeight, clientHeight }) => clientHeight > 120 && scrollHeight > clientHeight + 8,
  )
  if (!long) return false
  long.scrollTop = long.scrollHeight
  return long.scrollTop > 0
}
