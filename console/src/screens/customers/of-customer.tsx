import { Button } from '../../parts/button'
import { useCustomerName } from './customer-link'

type Props = {
  reference: string
  words: { of: (name: string) => string; clearFilters: string }
  onClear: () => void
}

/** The list of one customer says so, and leads to the others. */
export function OfCustomer({ reference, words, onClear }: Props) {
  const name = useCustomerName(reference)
  return (
    <div className="row wrap">
      <b>{words.of(name)}</b>
      <Button size="small" onClick={onClear}>
        {words.clearFilters}
      </Button>
    </div>
  )
}
