import { useRead } from '../../api/reads'
import { Skeleton } from '../../parts/page'
import { collectTexts } from './texts'

/** A QR code that the server draws. */
export function Qr({ text }: { text: string }) {
  const { data, isPending } = useRead<{ svg: string }>('qr', '/v1/qr-codes', { text })
  if (isPending) return <Skeleton height={200} width={200} />
  if (!data) return null
  const source = `data:image/svg+xml,${encodeURIComponent(data.svg)}`
  return <img className="qr-code" src={source} alt={collectTexts.qrOf(text)} />
}
