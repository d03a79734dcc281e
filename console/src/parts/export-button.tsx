import { useState } from 'react'
import { toRefusal } from '../api/refusal'
import { download } from '../api/writes'
import { texts } from '../texts/en'
import { Button } from './button'
import { notify } from './notify'

type Props = {
  path: string
  filters: Record<string, string>
  fileName: string
  label?: string
}

/** Saves every row of a list that its filters match, as CSV. */
export function ExportButton({ path, filters, fileName, label = texts.common.export }: Props) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await download(path, filters, fileName)
    } catch (error) {
      await notify(toRefusal(error).message, 'bad')
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
