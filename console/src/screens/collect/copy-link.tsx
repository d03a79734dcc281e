import { Button } from '../../parts/button'
import { notify } from '../../parts/notify'
import { collectTexts as words } from './texts'

export function CopyLink({ url }: { url: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(url)
    void notify(words.copied)
  }
  return (
    <Button icon="copy" onClick={() => void copy()}>
      {words.copyLink}
    </Button>
  )
}
