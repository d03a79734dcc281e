import type { Settings } from '../../merchants/settings/settings-document.js'
import { describeReceipt, type Receipted } from '../checkout-page/describe-receipt.js'
import { english as texts } from '../checkout-page/texts.js'
import { Paper } from './pdf.js'

type Receipt = {
  receipted: Receipted
  checkout: Settings['checkout']
  isTest: boolean
}

/** A receipt as PDF; null if nothing was accepted. */
export async function drawReceipt({
  receipted,
  checkout,
  isTest,
}: Receipt): Promise<Buffer | null> {
  const words = describeReceipt(receipted, texts)
  if (!words) return null
  const [[, name]] = words.references as [[string, string]]
  const { title, from } = texts.receipt
  const paper = await Paper.open(
    { checkout, isTest },
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
