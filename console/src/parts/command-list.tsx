import '@mantine/spotlight/styles.css'
import './command-list.css'
import { Spotlight } from '@mantine/spotlight'
import type { KeyboardEvent, ReactNode } from 'react'
import type { IconName } from './icons'
import { Icon } from './icons'
import { Tile } from './page'

type ListedAction = {
  key: string
  label: string
  description?: string
  icon: IconName
  after?: ReactNode
  run: () => void
}

type Props = {
  label: string
  placeholder: string
  query: string
  onQueryChange: (query: string) => void
  /** Returns whether what was pasted is dealt with, so that it is not typed. */
  onPaste: (pasted: string) => boolean
  onClose: () => void
  groups: { label: string; actions: ListedAction[] }[]
  /** Shown while no group has actions. */
  empty: string
  /** Below the list. */
  hint: ReactNode
}

/** A dialog to search for actions and run one. It is open while it is shown. */
export function CommandList(props: Props) {
  const { label, placeholder, query, onQueryChange, onPaste, onClose, groups, empty, hint } = props
  const filled = groups.filter(({ actions }) => actions.length > 0)
  return (
    <Spotlight.Root
      forceOpened
      shortcut={null}
      query={query}
      onQueryChange={onQueryChange}
      onSpotlightClose={onClose}
      onClick={(event) => {
        // The backdrop closes it; Spotlight's own handler follows its store, not ours.
        if ((event.target as Element).className.includes?.('inner')) onClose()
      }}
      title={undefined}
      attributes={{ content: { 'aria-label': label } }}
      scrollable
      maxHeight={420}
      radius={16}
      overlayProps={{ blur: 0, backgroundOpacity: 0.5 }}
    >
      <Spotlight.Search
        placeholder={placeholder}
        aria-label={label}
        leftSection={<Icon name="search" />}
        rightSection={<kbd>Esc</kbd>}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter') runFirst(event)
        }}
        onPaste={(event) => {
          if (onPaste(event.clipboardData.getData('text').trim())) event.preventDefault()
        }}
      />
      <Spotlight.ActionsList {...scrolledByKeys}>
        {filled.map((group) => (
          <Spotlight.ActionsGroup key={group.label} label={group.label}>
            {group.actions.map(({ key, icon, after, run, ...action }) => (
              <Spotlight.Action
                key={key}
                {...action}
                leftSection={<Tile icon={icon} />}
                rightSection={after}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {filled.length === 0 && <Spotlight.Empty>{empty}</Spotlight.Empty>}
      </Spotlight.ActionsList>
      <Spotlight.Footer className="desktop-only">
        <span className="soft small">{hint}</span>
      </Spotlight.Footer>
    </Spotlight.Root>
  )
}

/** The list passes this to its scroll area, which its types do not name. */
const scrolledByKeys = { viewportProps: { tabIndex: 0 } } as object

/** Enter runs the first action unless the arrow keys have chosen another. */
function runFirst(event: KeyboardEvent): void {
  const list = event.currentTarget.closest('[role=dialog]') ?? document
  if (list.querySelector('[data-action][data-selected]')) return
  event.preventDefault()
  list.querySelector<HTMLElement>('[data-action]')?.click()
}
