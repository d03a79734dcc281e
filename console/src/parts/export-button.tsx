import { useState } from 'react'
import { toRefusal } from '../api/refusal'
import { type Mode, useScope } from '../api/scope'
import { download } from '../api/writes'
import { commonTexts } from '../texts/common'
import { Button } from './button'
import { notify } from './notify'
import { daysAgo } from './time-format'

type Props = {
  path: string
  filters: Record<string, string>
  fileName: string
  /** The file name needs no period, such as that of one batch. */
  isNamed?: boolean
  label?: string
}

type Exported = { mode: Mode; filters: Record<string, string> }

/** `payments-live-2026-11-01-to-2026-11-17.csv`: a folder of exports stays in order. */
function nameExport(fileName: string, { mode, filters: { from, to } }: Exported): string {
  const day = (time: string) => time.slice(0, 10)
  const last = day(to ?? daysAgo(0))
  const period = from ? `${day(from)}-to-${last}` : `until-${last}`
  return fileName.replace(/\.csv$/, `-${mode}-${period}.csv`)
}

/** Saves every row of a list that its filters match, as CSV. */
export function ExportButton({ path, filters, fileName, ...props }: Props) {
  const { isNamed = false, label = commonTexts.export } = props
  const [isBusy, setBusy] = useState(false)
  const { mode } = useScope()
  const save = async () => {
    setBusy(true)
    try {
      const name = isNamed ? fileName : nameExport(fileName, { mode, filters })
      await download(path, filters, name)
    } catch (error) {
      await notify(toRefusal(error).sentence, 'bad')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
      {label}
    </Button>
  )
}
