import type { Language } from '../../base/languages.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { describeReceipt, type Receipted } from '../checkout-page/describe-receipt.js'
import { checkoutTexts } from '../checkout-page/texts.js'
import { Paper } from './pdf.js'

type Receipt = {
  receipted: Receipted
  checkout: Settings['checkout']
  isTest: boolean
  language: Language
}

/** A receipt as PDF; null if nothing was accepted. */
export async function drawReceipt({
  receipted,
  checkout,
  isTest,
  language,
}: Receipt): Promise<Buffer | null> {
  const texts = checkoutTexts[language]
  const words = describeReceipt(receipted, texts)
  if (!words) return null
  const [[, name]] = words.references as [[string, string]]
  const { title, from } = texts.receipt
  const paper = await Paper.open(
    { checkout, isTest, language },
    {
      kind: title,
      name,
      title: from(checkout.displayName, name),
      createdAt: new Date(receipted.received[0]!.receivedAt),
    },
  )
  for (const [label, value] of words.rows) paper.row({ label, value })
  paper.space()
  for (const [label, value] of words.references) paper.row({ label, value })
  return paper.finish()
}
